// A line with an event, then its topics and data: what is decoded is JSON, and not much larger than
// the log.
#include "apps/ethlog/abi/event_set.h"
#include "apps/ethlog/json/rpc_json.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bloomery;
  using namespace bloomery::ethlog;
  using fuzz::require;
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  const std::size_t end = text.find('\n');
  if (end == text.npos) return 0;
  auto event = parse_event(text.substr(0, end));
  if (!event) return 0;
  ByteView rest = std::as_bytes(std::span{text.substr(end + 1)});
  Log log;
  if (!event->anonymous) log.topics.push_back(event->topic);
  for (std::size_t i = 0; i < event->indexed && rest.size() >= 32; ++i) {
    log.topics.push_back(Topic::from_bytes(rest.first(32)));
    rest = rest.subspan(32);
  }
  log.data.assign(rest.begin(), rest.end());
  const auto set = EventSet::make({*event}, {});
  require(set.has_value());
  const auto decoded = set->decode(log);
  if (!decoded) {
    require(!decoded.error().message.empty());
    return 0;
  }
  std::string out;
  append_json_object(out, written_names(event->parameters), decoded->values);
  // A tuple is as deep as its type, and each member's name is written with each value.
  require(is_json(out, 2 * kMostAbiDepth));
  return 0;
}
