// The key of a native filter.
#pragma once
#include "apps/redis/native/type.h"
#include "apps/redis/native/value.h"
#include "apps/redis/server/filter_key.h"

namespace bloomery::redis_module {

using NativeKey = FilterKey<NativeValue, native_type>;

}  // namespace bloomery::redis_module
