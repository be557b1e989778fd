#include "apps/tracker/state/state_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "apps/tracker/state/private_files.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::tracker {
namespace {

Error io_error(const std::filesystem::path& path, std::string_view doing) {
  return {ErrorCode::kIo, message(path.string(), ": cannot ", doing, ": ", std::strerror(errno))};
}

std::string owner_in(int fd) {
  char text[32] = {};
  const ssize_t size = ::pread(fd, text, sizeof text - 1, 0);
  std::int64_t process = 0;
  if (size <= 0 || std::from_chars(text, text + size, process).ec != std::errc{}) return {};
  return message(" (process ", process, ")");
}

bool holds_lock(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  ::close(fd);
  return locked;
}

// `held`: the sentence where another program has it.
template <class Sentence>
Result<FileLock> lock_private(const std::filesystem::path& path, std::chrono::milliseconds patience,
                              Sentence held) {
  const int fd = open_private(path);
  if (fd < 0) return io_error(path, "open");
  auto lock = FileLock::acquire(path, {.timeout = patience});
  const std::string owner = owner_in(fd);
  ::close(fd);
  if (lock && lock->held()) return std::move(*lock);
  if (lock)
    return Error{ErrorCode::kIo, message(path.string(), ": was removed while it was locked")};
  if (holds_lock(path)) return Error{ErrorCode::kIo, held(owner)};
  return lock.error();
}

constexpr std::size_t kHeartbeatBytes = 24;

}  // namespace

std::vector<Result<std::vector<std::byte>>> Copies::read(DecodeLimits limits) const {
  std::vector<Result<std::vector<std::byte>>> results;
  for (const auto& folder : folders) results.push_back(read_file(folder / name, limits));
  return results;
}

bool Copies::any_exists() const {
  std::error_code ignored;
  for (const auto& folder : folders)
    if (std::filesystem::exists(folder / name, ignored)) return true;
  return false;
}

Copies::Saved Copies::save(ByteView bytes) const {
  Saved saved;
  for (const auto& folder : folders) {
    (void)make_private_folder(folder);  // where it fails, the save says why
    if (auto written = save_private(folder / name, bytes); written) {
      ++saved.copies;
      saved.folders.push_back(folder);
    } else {
      saved.failures.push_back(written.error());
    }
  }
  return saved;
}

Result<StateLock> StateLock::take(const std::filesystem::path& folder,
                                  std::chrono::milliseconds patience) {
  if (auto made = make_private_folder(folder); !made) return made.error();
  const auto path = folder / kLockFile;
  auto lock = lock_private(path, patience, [&](const std::string& owner) {
    return message(folder.string(), ": another program", owner,
                   " owns this tracker; wait until it ends");
  });
  if (!lock) return lock.error();
  const int fd = open_private(path);
  const std::string owner = message(::getpid(), "\n");
  const bool written =
      fd >= 0 && ::ftruncate(fd, 0) == 0 &&
      ::pwrite(fd, owner.data(), owner.size(), 0) == static_cast<ssize_t>(owner.size());
  const Error failed = io_error(path, "write");
  if (fd >= 0) ::close(fd);
  if (!written) return failed;
  return StateLock{std::move(*lock)};
}

Result<StateLock> StateLock::take_scan(const std::filesystem::path& file) {
  auto lock = lock_private(file, {}, [&](const std::string&) {
    return message(file.string(), ": another scan of this tree is running; wait until it ends");
  });
  if (!lock) return lock.error();
  return StateLock{std::move(*lock)};
}

bool is_locked(const std::filesystem::path& folder) { return holds_lock(folder / kLockFile); }

// Too small to tear, and worth nothing once it is old: no sync, no rename.
Status write_heartbeat(const std::filesystem::path& folder, Heartbeat heartbeat) {
  std::byte bytes[kHeartbeatBytes];
  store_le(bytes, heartbeat.unix_seconds);
  store_le(bytes + 8, heartbeat.process);
  store_le(bytes + 16, xxh3_64(ByteView{bytes, 16}));
  const auto path = folder / kHeartbeatFile;
  const int fd = open_private(path);
  if (fd < 0) return io_error(path, "open");
  const bool written = ::pwrite(fd, bytes, sizeof bytes, 0) == sizeof bytes;
  ::close(fd);
  if (!written) return io_error(path, "write");
  return ok();
}

std::optional<Heartbeat> read_heartbeat(const std::filesystem::path& folder) {
  const auto bytes = read_file(folder / kHeartbeatFile, {.max_bytes = kHeartbeatBytes});
  if (!bytes || bytes->size() != kHeartbeatBytes ||
      load_le<std::uint64_t>(bytes->data() + 16) != xxh3_64(ByteView{*bytes}.first(16)))
    return std::nullopt;
  return Heartbeat{load_le<std::int64_t>(bytes->data()), load_le<std::int64_t>(bytes->data() + 8)};
}

}  // namespace bloomery::tracker
