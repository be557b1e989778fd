#include "apps/ethlog/abi/event.h"
#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostAbiJsonDepth = 1024;  // the artifacts of compilers hold syntax trees
constexpr std::size_t kMostEvents = 10'000;

// The members of an entry or an input that matter; of equal names the last counts.
struct AbiEntry {
  std::string type;
  std::string name;
  std::string_view inputs = {};
  std::string_view components = {};
  bool indexed = false;
  bool anonymous = false;
};

Error in_abi(std::string sentence) { return {ErrorCode::kMalformed, std::move(sentence)}; }

Status read_text(std::string_view member, std::string_view value, std::string& out) {
  if (json_kind(value) != JsonKind::kString)
    return in_abi(message("the member ", member, " is not a text"));
  out = json_text(value);
  return ok();
}

Status read_flag(std::string_view member, std::string_view value, bool& out) {
  if (json_kind(value) != JsonKind::kBool)
    return in_abi(message("the member ", member, " is neither true nor false"));
  out = json_trimmed(value) == "true";
  return ok();
}

Status read_list(std::string_view member, std::string_view value, std::string_view& out) {
  if (json_kind(value) != JsonKind::kArray)
    return in_abi(message("the member ", member, " is not a list"));
  out = value;
  return ok();
}

Result<AbiEntry> read_entry(std::string_view object) {
  AbiEntry entry;
  Status read = ok();
  if (json_kind(object) != JsonKind::kObject) return in_abi("an object is expected");
  visit_json_members(object, [&](const std::string& member, std::string_view value) {
    if (!read) return;
    if (member == "type") read = read_text(member, value, entry.type);
    if (member == "name") read = read_text(member, value, entry.name);
    if (member == "inputs") read = read_list(member, value, entry.inputs);
    if (member == "components") read = read_list(member, value, entry.components);
    if (member == "indexed") read = read_flag(member, value, entry.indexed);
    if (member == "anonymous") read = read_flag(member, value, entry.anonymous);
  });
  if (!read) return read.error();
  return entry;
}

Result<std::vector<AbiParameter>> parameters_from(std::string_view list, std::uint32_t depth);

Result<AbiParameter> parameter_from(std::string_view object, std::uint32_t depth) {
  auto entry = read_entry(object);
  if (!entry) return entry.error();
  const std::size_t bracket = std::min(entry->type.find('['), entry->type.size());
  const std::string_view base = std::string_view{entry->type}.substr(0, bracket);
  Result<AbiType> type = AbiType{};
  if (base == "tuple") {
    if (entry->components.empty()) return in_abi("a tuple has no member components");
    auto members = parameters_from(entry->components, depth + 1);
    if (!members) return members.error();
    type = tuple_of(std::move(*members));
  } else {
    type = elementary_type(base);
  }
  if (type)
    type = with_array_suffix(std::move(*type), std::string_view{entry->type}.substr(bracket));
  if (!type) return in_abi(message("the argument '", entry->name, "': ", type.error().message));
  return AbiParameter{std::move(entry->name), std::move(*type), depth == 0 && entry->indexed};
}

Result<std::vector<AbiParameter>> parameters_from(std::string_view list, std::uint32_t depth) {
  if (depth > kMostAbiDepth)
    return in_abi(message("types are nested deeper than ", kMostAbiDepth, " levels"));
  const auto items = json_items(list, kMostAbiParts + 1);
  if (items.size() > kMostAbiParts)
    return in_abi(message("there are more than ", kMostAbiParts, " arguments"));
  std::vector<AbiParameter> parameters;
  parameters.reserve(items.size());
  for (const std::string_view item : items) {
    auto parameter = parameter_from(item, depth);
    if (!parameter) return parameter.error();
    parameters.push_back(std::move(*parameter));
  }
  return parameters;
}

Result<AbiEvent> event_from(const AbiEntry& entry) {
  if (entry.inputs.empty()) return in_abi("there is no member inputs");
  auto parameters = parameters_from(entry.inputs, 0);
  if (!parameters) return parameters.error();
  auto event = make_event(entry.name, std::move(*parameters), entry.anonymous);
  if (!event) return in_abi(event.error().message);
  return event;
}

std::string_view list_of_entries(std::string_view text) {
  if (json_kind(text) != JsonKind::kObject) return text;
  std::string_view list = text;
  visit_json_members(text, [&](const std::string& member, std::string_view value) {
    if (member == "abi") list = value;
  });
  return list;
}

}  // namespace

Result<std::vector<AbiEvent>> parse_abi_json(std::string_view text) {
  if (!is_json(text, kMostAbiJsonDepth))
    return in_abi(message("it is not JSON, or is nested deeper than ", kMostAbiJsonDepth,
                          " levels; the output of solc --abi is expected"));
  std::string_view list = list_of_entries(text);
  std::vector<AbiEvent> events;
  std::size_t index = 0;
  Status read = ok();
  const auto add = [&](std::string_view item) {
    auto entry = read_entry(item);
    if (entry && entry->type == "event") {
      auto event = event_from(*entry);
      if (!event)
        read = in_abi(
            message("entry ", index, ", the event '", entry->name, "': ", event.error().message));
      else if (events.size() == kMostEvents)
        read = in_abi(message("it has more than ", kMostEvents, " events"));
      else
        events.push_back(std::move(*event));
    } else if (!entry) {
      read = in_abi(message("entry ", index, ": ", entry.error().message));
    }
    ++index;
    return read.has_value();
  };
  if (json_kind(list) == JsonKind::kArray)
    visit_json_items(list, add);
  else if (json_kind(list) == JsonKind::kObject && list.data() == text.data())
    add(list);
  else
    return in_abi("a list of entries is expected, or an object whose member abi is one");
  if (!read) return read.error();
  return events;
}

}  // namespace bloomery::ethlog
