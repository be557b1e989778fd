// The file behind Filter<T>: an engine and the name of its funnel, saved and loaded.
#pragma once
#include "bloomery/base/file_name.h"
#include "bloomery/filter/engine.h"
#include "bloomery/formats/options.h"

namespace bloomery {

class FileLock;

struct LoadedEngine {
  Engine engine;
  FunnelName funnel;  // how its keys became bytes
};

// A native file of any layout. Reads and verifies all of it. The message of every error begins with
// the name of the file.
Result<LoadedEngine> load_engine(FileName path, const DecodeOptions& options);
// Replaces the file in one step: a crash leaves the old one or the new one. Waits up to 10 s for
// another process that is writing the file, unless `held` is the lock on it (base/file_lock.h).
// kInvalidArgument for an engine that was moved from.
Status save_engine(const Engine& engine, FunnelName funnel, FileName path,
                   const FileLock* held = nullptr);

// ok where both funnels are the same; else kInvalidArgument, because no answer would be right.
Status check_funnel(FileName path, FunnelName of_file, FunnelName of_keys);
// kInvalidArgument for a hash that does not accept the keys: mix hashes 64-bit integers only.
Status check_hash(const Hasher& hasher, FunnelName of_keys);
// The same error, its message beginning with the name of the file.
Error with_file(FileName path, Error error);

}  // namespace bloomery
