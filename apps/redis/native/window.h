// Rotation of a window. Only a primary rotates; it replicates the rotation before the write that
// follows, so all copies hold the same slices.
#pragma once
#include "apps/redis/native/key.h"
#include "apps/redis/native/manifest.h"

namespace bloomery::redis_module {

// Before a write to the key's filter. False: there is no memory for the next slice, and nothing is
// changed.
bool rotate_if_due(const CommandCall& call, NativeKey& key);

// Before a source is merged: the same, as far as a step of the clock is concerned.
void follow_clock(const CommandCall& call, NativeKey& key);

// What time it is for this filter; without a window no clock is read.
std::int64_t time_for(const LayeredFilter& filter);

// Of a filter that was made or loaded just now.
void start_clock(Context* context, LayeredFilter& filter);

// The manifest to save or dump: on a primary, the starts of slices in today's wall clock.
NativeManifest manifest_for_storage(Context* context, const LayeredFilter& filter);

}  // namespace bloomery::redis_module
