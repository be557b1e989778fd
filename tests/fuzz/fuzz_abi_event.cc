// An event as Solidity declares it, or an ABI in JSON: what is taken is written as a declaration
// that is the same event again.
#include "apps/ethlog/abi/event.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery;
using namespace bloomery::ethlog;
using fuzz::require;

void check_event(const AbiEvent& event) {
  require(event.topics() <= TopicList::kMost);
  bool plain = true;  // names of a JSON ABI may be anything
  for (const AbiParameter& parameter : event.parameters)
    for (const char c : parameter.name)
      plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
  for (const AbiParameter& parameter : event.parameters)
    plain = plain && parameter.name != "indexed" && parameter.type.kind != AbiKind::kArray &&
            parameter.type.kind != AbiKind::kTuple;
  if (!plain || event.name == "event") return;
  const auto again = parse_event(declaration_of(event));
  require(again && again->signature == event.signature && again->topic == event.topic);
  require(again->anonymous == event.anonymous && again->indexed == event.indexed);
  require(written_names(again->parameters) == written_names(event.parameters));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto event = parse_event(text);
  if (event)
    check_event(*event);
  else
    require(!event.error().message.empty());
  const auto events = parse_abi_json(text);
  if (!events) require(!events.error().message.empty());
  if (events)
    for (const AbiEvent& one : *events) check_event(one);
  return 0;
}
