// The refusal of items that belong to another part of a filter than the key holds: an answer for
// them would be wrong.
#pragma once
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

// The reply, where an item of these belongs to another part. Then nothing has changed.
std::optional<int> refuse_elsewhere(const CommandCall& call, const LayeredFilter& filter,
                                    std::span<String* const> items);

}  // namespace bloomery::redis_module
