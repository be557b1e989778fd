// Decodes the logs of a file of JSON lines, each by its own event: {"event":"…" or "abi":"…",
// "topics":[…],"data":"0x…"}. Prints a line for each: the arguments, or "error: why".
#include <fstream>
#include <iostream>

#include "apps/ethlog/abi/event_set.h"
#include "apps/ethlog/json/rpc_json.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;

Result<std::vector<AbiEvent>> events_of(const std::string& event, const std::string& abi) {
  if (!abi.empty()) return parse_abi_json(abi);
  auto parsed = parse_event(event);
  if (!parsed) return parsed.error();
  return std::vector<AbiEvent>{std::move(*parsed)};
}

std::string decoded_line(const std::string& line) {
  std::string event;
  std::string abi;
  Log log;
  if (!is_json(line)) return "error: the line is not JSON";
  visit_json_members(line, [&](const std::string& name, std::string_view value) {
    if (name == "event") event = json_text(value);
    if (name == "abi") abi = json_text(value);
    if (name == "data") log.data = bytes_from_hex(json_text(value)).value();
    if (name == "topics")
      for (const std::string_view topic : json_items(value, TopicList::kMost))
        log.topics.push_back(Topic::from_hex(json_text(topic)).value());
  });
  const auto events = events_of(event, abi);
  if (!events) return "error: no event: " + events.error().message;
  auto set = EventSet::make(*events, {});
  if (!set) return "error: no event: " + set.error().message;
  // What declaration_of writes is the same event.
  const auto again = parse_event(declaration_of(set->events()[0]));
  if (!again || again->topic != set->events()[0].topic || again->indexed != events->at(0).indexed)
    return "error: no event: its declaration is another one";
  const auto decoded = set->decode(log);
  if (!decoded) return "error: " + decoded.error().message;
  std::string out;
  append_json_object(out, written_names(set->events()[0].parameters), decoded->values);
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ifstream file{arguments[1]};
  std::string all;
  for (std::string line; std::getline(file, line);) all += decoded_line(line) + '\n';
  std::cout << all << std::flush;
  return file.eof() && std::cout ? 0 : 1;
}
