// The key of a filter of our own type.
#pragma once
#include "apps/redis/filter_key.h"
#include "apps/redis/own_type.h"
#include "apps/redis/own_value.h"

namespace bloomery::redis_module {

using OwnKey = FilterKey<OwnValue, own_type>;

}  // namespace bloomery::redis_module
