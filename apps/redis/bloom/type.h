// The type of a Bloom filter's key: how the server saves, copies, measures, moves and frees it.
#pragma once
#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {

bool register_bloom_type(Context* context);  // false: the name is taken
DataType* bloom_type();

}  // namespace bloomery::redis_module
