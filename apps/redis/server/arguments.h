// The arguments of the BF commands that have options. Pure: arguments in, numbers or a refusal out.
#pragma once
#include <span>
#include <string_view>
#include <variant>

#include "apps/redis/server/errors.h"
#include "apps/redis/server/settings.h"
#include "bloomery/layout/shape.h"

namespace bloomery::redis_module {

using Words = std::span<const std::string_view>;

// A filter to be made. Expansion 0 does not grow.
struct NewFilter {
  Goal goal;
  std::uint32_t expansion;
};
NewFilter default_filter(const Settings& settings);

// Of BF.RESERVE: what follows the key, 2 to 5 words. Words that are no option are ignored, as in
// RedisBloom.
std::variant<NewFilter, Refusal> parse_reserve(Words words, const Settings& settings);

struct Insertion {
  NewFilter filter;
  bool may_create = true;
  std::size_t first_key = 0;  // index into the words that were parsed
};
// Of BF.INSERT: what follows the key. An option may be shortened to any beginning of it; where two
// begin alike, RedisBloom's choice holds (E is EXPANSION, N and NO are NONSCALING).
std::variant<Insertion, Refusal> parse_insert(Words words, const Settings& settings);

}  // namespace bloomery::redis_module
