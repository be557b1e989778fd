// What the sources of DeviceBlock share. Not for users.
#pragma once
#include "bloomery/gpu/batch.h"

namespace bloomery::gpu::internal {

// How the kernels hash these keys for this filter. kInvalidArgument for keys of another kind.
Result<KeySource> source_of(const KeyHash& hash, DeviceKeys keys);
Result<KeySource> source_of(const KeyHash& hash, const DeviceStrings& keys);

}  // namespace bloomery::gpu::internal
