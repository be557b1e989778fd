// The arguments of the CF commands that have options. Pure: arguments in, numbers or a refusal out.
#pragma once
#include "apps/redis/server/arguments.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery::redis_module {

RedisCuckooOptions default_cuckoo(const Settings& settings);

// Of CF.RESERVE: what follows the key. Words that are no option are ignored, as in RedisBloom.
std::variant<RedisCuckooOptions, Refusal> parse_cuckoo_reserve(Words words,
                                                               const Settings& settings);

struct CuckooInsertion {
  RedisCuckooOptions filter;
  bool may_create = true;
  std::size_t first_key = 0;  // index into the words that were parsed
};
// Of CF.INSERT and CF.INSERTNX: what follows the key. An option may be shortened to any beginning.
std::variant<CuckooInsertion, Refusal> parse_cuckoo_insert(Words words, const Settings& settings);

}  // namespace bloomery::redis_module
