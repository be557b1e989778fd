#include "apps/tracker/state_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

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

// No system waits for a lock with an end: it is asked for again and again.
bool locked_within(int fd, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
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
    std::error_code ignored;  // what cannot be made cannot be written either, and that says why
    std::filesystem::create_directories(folder, ignored);
    if (auto written = save_file(folder / name, bytes); written) {
      ++saved.copies;
    } else {
      saved.failures.push_back(written.error());
    }
  }
  return saved;
}

Result<StateLock> StateLock::take(const std::filesystem::path& folder,
                                  std::chrono::milliseconds patience) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::kIo, message(folder.string(), ": cannot be made: ", failed.message())};
  const auto path = folder / kLockFile;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return io_error(path, "open");
  StateLock lock{fd};
  if (!locked_within(fd, patience)) {
    if (errno != EWOULDBLOCK) return io_error(path, "lock");
    return Error{ErrorCode::kIo, message(folder.string(), ": another program", owner_in(fd),
                                         " owns this tracker; wait until it ends")};
  }
  const std::string owner = message(::getpid(), "\n");
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size()))
    return io_error(path, "write");
  return lock;
}

StateLock::StateLock(StateLock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
StateLock::~StateLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool is_locked(const std::filesystem::path& folder) {
  const int fd = ::open((folder / kLockFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  ::close(fd);
  return locked;
}

// Too small to tear, and worth nothing once it is old: no sync, no rename.
Status write_heartbeat(const std::filesystem::path& folder, Heartbeat heartbeat) {
  std::byte bytes[kHeartbeatBytes];
  store_le(bytes, heartbeat.unix_seconds);
  store_le(bytes + 8, heartbeat.process);
  store_le(bytes + 16, xxh3_64(ByteView{bytes, 16}));
  const auto path = folder / kHeartbeatFile;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
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
