#include "apps/redis/cuckoo/arguments.h"

#include <algorithm>

#include "apps/redis/server/numbers.h"

namespace bloomery::redis_module {
namespace {

using Filter = RedisCuckooFilter;

bool valid_keys(std::int64_t keys, std::uint32_t bucket_size) {
  return keys >= std::int64_t{2} * bucket_size &&
         keys <= static_cast<std::int64_t>(Filter::kMaxGoalKeys);
}

struct Option {
  std::string_view name;
  std::uint32_t RedisCuckooOptions::*number;
  std::int64_t least;
  std::int64_t most;
  Refusal bad;
  Refusal outside;
};
constexpr Option kOptions[] = {
    {"BUCKETSIZE", &RedisCuckooOptions::bucket_size, 1, Filter::kMaxBucketSize,
     Refusal::kCuckooBadBucketSize, Refusal::kCuckooBucketSizeRange},
    {"MAXITERATIONS", &RedisCuckooOptions::max_iterations, 1, Filter::kMaxIterations,
     Refusal::kCuckooBadIterations, Refusal::kCuckooIterationsRange},
    {"EXPANSION", &RedisCuckooOptions::expansion, 0, Filter::kMaxExpansion,
     Refusal::kCuckooBadExpansion, Refusal::kCuckooExpansionRange},
};

std::optional<Refusal> take_option(const Option& option, Words words, RedisCuckooOptions& filter) {
  const auto found = std::ranges::find_if(
      words, [&](std::string_view word) { return same_word(word, option.name); });
  if (found == words.end()) return std::nullopt;
  if (found + 1 == words.end()) return option.bad;
  const auto number = parse_integer(*(found + 1));
  if (!number) return option.bad;
  if (*number < option.least || *number > option.most) return option.outside;
  filter.*option.number = static_cast<std::uint32_t>(*number);
  return std::nullopt;
}

}  // namespace

RedisCuckooOptions default_cuckoo(const Settings& settings) {
  return {static_cast<std::uint64_t>(settings.cuckoo_initial_size),
          static_cast<std::uint32_t>(settings.cuckoo_bucket_size),
          static_cast<std::uint32_t>(settings.cuckoo_iterations),
          static_cast<std::uint32_t>(settings.cuckoo_expansion)};
}

std::variant<RedisCuckooOptions, Refusal> parse_cuckoo_reserve(Words words,
                                                               const Settings& settings) {
  if (words.size() % 2 == 0) return Refusal::kArity;
  const auto keys = parse_integer(words[0]);
  if (!keys) return Refusal::kInsertBadKeys;
  RedisCuckooOptions filter = default_cuckoo(settings);
  for (const Option& option : kOptions)
    if (const auto refusal = take_option(option, words.subspan(1), filter)) return *refusal;
  if (!valid_keys(*keys, filter.bucket_size)) return Refusal::kCuckooReserveKeysRange;
  filter.keys = static_cast<std::uint64_t>(*keys);
  return filter;
}

std::variant<CuckooInsertion, Refusal> parse_cuckoo_insert(Words words, const Settings& settings) {
  CuckooInsertion insertion{default_cuckoo(settings)};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (begins(words[i], "ITEMS")) {
      if (i + 1 == words.size()) return Refusal::kArity;
      insertion.first_key = i + 1;
      return insertion;
    }
    if (begins(words[i], "NOCREATE")) {
      insertion.may_create = false;
      continue;
    }
    if (!begins(words[i], "CAPACITY")) return Refusal::kUnknownArgument;
    if (++i == words.size()) return Refusal::kArity;
    const auto keys = parse_integer(words[i]);
    if (!keys) return Refusal::kInsertBadKeys;
    if (!valid_keys(*keys, insertion.filter.bucket_size)) return Refusal::kCuckooInsertKeysRange;
    insertion.filter.keys = static_cast<std::uint64_t>(*keys);
  }
  return Refusal::kArity;
}

}  // namespace bloomery::redis_module
