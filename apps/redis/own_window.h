// When a window moves on. Only a primary decides that, and tells its replicas with a command of its
// own before the write that follows: all copies hold the same slices.
#pragma once
#include "apps/redis/own_key.h"

namespace bloomery::redis_module {

// Before a write to the key's filter. False: there is no memory for the next slice, and nothing is
// changed.
bool rotate_if_due(const Call& call, OwnKey& key);

// What time it is for this filter; without a window nobody looks at the clock.
std::int64_t time_for(const OwnFilter& filter);

}  // namespace bloomery::redis_module
