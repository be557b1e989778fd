#include "apps/redis/server/arguments.h"

#include <algorithm>
#include <optional>

#include "apps/redis/server/numbers.h"
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery::redis_module {
namespace {

constexpr std::int64_t kMostKeys = RedisBloomFilter::kMaxGoalKeys;
constexpr std::int64_t kMostExpansion = RedisBloomFilter::kMaxExpansion;

bool valid_rate(double rate) { return rate > 0 && rate < 1; }
double lowered(double rate) { return std::min(rate, RedisBloomFilter::kMaxRate); }

struct Growing {
  std::optional<std::int64_t> expansion;
  bool never = false;
};

std::variant<Growing, Refusal> parse_growing(Words words) {
  Growing growing;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (same_word(words[i], "NONSCALING")) growing.never = true;
    if (growing.expansion || !same_word(words[i], "EXPANSION")) continue;
    if (i + 1 == words.size()) return Refusal::kReserveNoExpansion;
    growing.expansion = parse_integer(words[i + 1]);
    if (!growing.expansion) return Refusal::kReserveBadExpansion;
  }
  if (!growing.expansion) return growing;
  if (*growing.expansion != 0 && growing.never) return Refusal::kNonScalingExpands;
  if (*growing.expansion < 0 || *growing.expansion > kMostExpansion)
    return Refusal::kReserveExpansionRange;
  return growing;
}

enum class Option : std::uint8_t { kKeys, kRate, kExpansion, kNoCreate, kNonScaling, kItems };

std::optional<Option> option_of(std::string_view word) {
  struct Row {
    std::string_view name;
    Option option;
  };
  // The first that fits: the order decides for a beginning that two share.
  constexpr Row kOptions[] = {
      {"ITEMS", Option::kItems},           {"CAPACITY", Option::kKeys},
      {"EXPANSION", Option::kExpansion},   {"ERROR", Option::kRate},
      {"NONSCALING", Option::kNonScaling}, {"NOCREATE", Option::kNoCreate},
  };
  for (const Row& row : kOptions)
    if (begins(word, row.name)) return row.option;
  return std::nullopt;
}

std::optional<Refusal> take_value(Option option, std::string_view value, NewFilter& filter) {
  if (option == Option::kRate) {
    const auto rate = parse_double(value);
    if (!rate || !valid_rate(*rate)) return Refusal::kInsertBadRate;
    filter.goal.false_positive_rate = lowered(*rate);
    return std::nullopt;
  }
  const auto number = parse_integer(value);
  if (option == Option::kKeys) {
    if (!number || *number < 1 || *number > kMostKeys) return Refusal::kInsertBadKeys;
    filter.goal.keys = static_cast<std::uint64_t>(*number);
    return std::nullopt;
  }
  if (!number || *number < 0 || *number > kMostExpansion) return Refusal::kInsertBadExpansion;
  filter.expansion = static_cast<std::uint32_t>(*number);
  return std::nullopt;
}

}  // namespace

NewFilter default_filter(const Settings& settings) {
  return {{static_cast<std::uint64_t>(settings.initial_size), settings.error_rate},
          static_cast<std::uint32_t>(settings.expansion)};
}

std::variant<NewFilter, Refusal> parse_reserve(Words words, const Settings& settings) {
  if (words.size() < 2 || words.size() > 5) return Refusal::kArity;
  const auto rate = parse_double(words[0]);
  if (!rate) return Refusal::kReserveBadRate;
  if (!valid_rate(*rate)) return Refusal::kReserveRateRange;
  const auto keys = parse_integer(words[1]);
  if (!keys) return Refusal::kReserveBadKeys;
  if (*keys < 1 || *keys > kMostKeys) return Refusal::kReserveKeysRange;
  const auto parsed = parse_growing(words.subspan(2));
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  const Growing& growing = std::get<Growing>(parsed);
  const std::int64_t expansion = growing.never ? 0 : growing.expansion.value_or(settings.expansion);
  return NewFilter{{static_cast<std::uint64_t>(*keys), lowered(*rate)},
                   static_cast<std::uint32_t>(expansion)};
}

std::variant<Insertion, Refusal> parse_insert(Words words, const Settings& settings) {
  Insertion insertion{default_filter(settings)};
  bool never_grows = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto option = option_of(words[i]);
    if (!option) return Refusal::kUnknownArgument;
    if (*option == Option::kItems) {
      if (i + 1 == words.size()) return Refusal::kArity;
      if (never_grows) insertion.filter.expansion = 0;
      insertion.first_key = i + 1;
      return insertion;
    }
    if (*option == Option::kNoCreate) {
      insertion.may_create = false;
    } else if (*option == Option::kNonScaling) {
      never_grows = true;
    } else {
      if (++i == words.size()) return Refusal::kArity;
      if (const auto refusal = take_value(*option, words[i], insertion.filter)) return *refusal;
    }
  }
  return Refusal::kArity;
}

}  // namespace bloomery::redis_module
