// The files of a tracker: a copy of the state on every drive, each replaced in one step; a lock, so
// that one process owns them; and the heartbeat of that process.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/file_lock.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

inline constexpr std::string_view kStateFile = "tracker.bloomery";
inline constexpr std::string_view kMinioStateFile = ".tracker.bin";
inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kHeartbeatFile = "heartbeat";
inline constexpr std::string_view kWatchSocket = "watch.sock";
inline constexpr std::string_view kWebhookTokenFile = "webhook.token";

// Copies of one file in several folders.
struct Copies {
  std::vector<std::filesystem::path> folders;
  std::string name;

  // One result for each folder, in order; kIo for a file that is missing.
  std::vector<Result<std::vector<std::byte>>> read(DecodeLimits limits) const;
  bool any_exists() const;

  struct Saved {
    std::size_t copies = 0;                           // written and synced
    std::vector<std::filesystem::path> folders = {};  // in which they are
    std::vector<Error> failures = {};                 // of the others
  };
  Saved save(ByteView bytes) const;
};

// Held by the one program that may write; released when it ends, however it ends.
class StateLock {
 public:
  // kIo when another program holds it and does not let go in time: the sentence names its process.
  static Result<StateLock> take(const std::filesystem::path& folder,
                                std::chrono::milliseconds patience = {});
  // Of a scan: two of one tree would each throw away what the other found.
  static Result<StateLock> take_scan(const std::filesystem::path& file);

 private:
  explicit StateLock(FileLock lock) : lock_{std::move(lock)} {}
  FileLock lock_;
};
bool is_locked(const std::filesystem::path& folder);

// When the owner last said that it sees every change.
struct Heartbeat {
  std::int64_t unix_seconds = 0;
  std::int64_t process = 0;
};
Status write_heartbeat(const std::filesystem::path& folder, Heartbeat heartbeat);
std::optional<Heartbeat> read_heartbeat(const std::filesystem::path& folder);

}  // namespace bloomery::tracker
