#include "apps/cli/remote/redis_facts.h"

#include <algorithm>
#include <charconv>

namespace bloomery::cli {
namespace {

constexpr const char* kItems = "Number of items inserted";
constexpr const char* kFilters = "Number of filters";

// Nothing: the server did not report it, or it is not a number.
std::optional<std::uint64_t> number(const RedisFacts& facts, std::string_view name) {
  const auto found = facts.find(name);
  if (found == facts.end()) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto read = std::from_chars(found->second.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

bool went_down(const RedisFacts& before, const RedisFacts& after, std::string_view name) {
  const auto then = number(before, name);
  const auto now = number(after, name);
  return then && now && *now < *then;
}

bool is_on(const RedisFacts& facts, std::string_view name) {
  return number(facts, name).value_or(0) != 0;
}

}  // namespace

RedisFacts redis_facts(const RedisReply& reply) {
  RedisFacts facts;
  if (reply.is_error()) return facts;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    const RedisReply& value = reply.elements[i + 1];
    facts[reply.elements[i].text] = value.is_integer() ? std::to_string(value.integer) : value.text;
  }
  return facts;
}

bool may_be_the_same(const RedisFacts& before, const RedisFacts& after) {
  constexpr const char* kParameters[] = {
      "Expansion rate", "Number of buckets", "Bucket size", "Max iterations",
      "Layout",         "Counting",          "Window",      "Slices",
      "Secret"};
  const bool same_parameters = std::ranges::all_of(kParameters, [&](const char* name) {
    const auto then = before.find(name);
    const auto now = after.find(name);
    return then == before.end() || now == after.end() || then->second == now->second;
  });
  if (!same_parameters) return false;
  if (is_on(before, "Counting") || is_on(before, "Window")) return true;
  if (const auto deleted = number(before, "Number of items deleted")) {  // a cuckoo filter
    // Keys that were removed are counted until a filter of several parts is compacted.
    const auto all = number(before, kItems).value_or(0) + *deleted;
    const auto now =
        number(after, kItems).value_or(0) + number(after, "Number of items deleted").value_or(0);
    return after.empty() || number(before, kFilters) != 1U || now >= all;
  }
  return std::ranges::none_of(
      std::initializer_list<const char*>{"Capacity", "Size", kFilters, kItems},
      [&](const char* name) { return went_down(before, after, name); });
}

}  // namespace bloomery::cli
