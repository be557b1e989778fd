// The type of a cuckoo filter's key: how the server saves, copies, measures, moves and frees it.
#pragma once
#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {

bool register_cuckoo_type(Context* context);  // false: the name is taken
DataType* cuckoo_type();

}  // namespace bloomery::redis_module
