// Options of a tracker when it is opened.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/limits.h"

namespace bloomery::tracker {

// kMinioNewest writes MinIO's file and takes the newest copy; kMinioExact the last one, as MinIO
// did.
enum class Mode : std::uint8_t { kAdaptive, kMinioNewest, kMinioExact };

struct TrackerOptions {
  std::filesystem::path folder;  // the state directory, and the first drive
  // None: what the folder holds, or adaptive for a new one.
  std::optional<Mode> mode = {};
  // Each replaces what the state holds, where given.
  std::optional<double> rate = {};
  std::optional<std::vector<std::string>> drives = {};
  std::optional<std::vector<std::string>> roots = {};
  // With threads: a session, for a program that goes on marking. Without: each call does its work
  // itself, and save() or close() writes it.
  bool background = true;
  // The program sees every change of a tree while it runs; changes at other times are missed.
  bool watching = false;
  // The caller marks every change itself, from now on; remembered. Neither this nor a watcher:
  // every path may have changed in every cycle.
  bool marks_only = false;
  bool read_only = false;  // without threads only: neither takes the lock nor writes
  std::chrono::milliseconds lock_patience = {};  // how long to wait for another owner
  std::size_t queue_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds save_every = std::chrono::minutes{5};
  std::chrono::milliseconds heartbeat_every = std::chrono::seconds{5};
  DecodeLimits limits = {.max_bytes = std::uint64_t{8} << 30};
  std::function<std::int64_t()> now_unix = {};  // the system's clock if empty
};

}  // namespace bloomery::tracker
