// The type of the keys of native filters, BLOOMERY1: how the server saves, copies, measures, moves
// and frees them.
#pragma once
#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {

bool register_native_type(Context* context);  // false: the name is taken
DataType* native_type();

}  // namespace bloomery::redis_module
