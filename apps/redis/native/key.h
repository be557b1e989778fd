// The key of a filter of our own type.
#pragma once
#include "apps/redis/server/filter_key.h"
#include "apps/redis/native/type.h"
#include "apps/redis/native/value.h"

namespace bloomery::redis_module {

using OwnKey = FilterKey<OwnValue, own_type>;

}  // namespace bloomery::redis_module
