#include "bloomery/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

Error io_error(const std::filesystem::path& path, std::string_view doing) {
  return {ErrorCode::kIo, message(path.string(), ": cannot ", doing, ": ", std::strerror(errno))};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  bool close() { return ::close(release()) == 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error too_large(const std::filesystem::path& path, std::uint64_t max_bytes) {
  return {ErrorCode::kTooLarge,
          message(path.string(), ": longer than the limit of ", max_bytes, " bytes")};
}

bool write_all(int fd, ByteView bytes, bool (*stop)()) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // how often `stop` is asked
  while (!bytes.empty()) {
    if (stop != nullptr && stop()) {
      errno = EINTR;
      return false;
    }
    const std::size_t piece = stop != nullptr ? std::min(bytes.size(), kPiece) : bytes.size();
    const ssize_t written = ::write(fd, bytes.data(), piece);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// A rename is durable once its folder is.
Status sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0)
    return io_error(folder, "sync the folder");
  return ok();
}

// Follows links one by one: canonical() would refuse a link whose target is not there yet.
Result<std::filesystem::path> behind_links(const std::filesystem::path& path) {
  constexpr std::uint32_t kMaxLinks = 40;  // as many as Linux follows
  std::filesystem::path target = path;
  for (std::uint32_t i = 0; i < kMaxLinks; ++i) {
    std::error_code not_a_link;
    const std::filesystem::path next = std::filesystem::read_symlink(target, not_a_link);
    if (not_a_link) return target;
    target = target.parent_path() / next;
  }
  errno = ELOOP;
  return io_error(path, "find the file behind the link");
}

// The mode of the file to be replaced, if there is one.
Result<std::optional<mode_t>> old_mode(const std::filesystem::path& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) {
    if (errno != ENOENT) return io_error(target, "stat");
    return std::optional<mode_t>{};
  }
  // A rename would put a regular file in the place of a device or a pipe.
  if (!S_ISREG(old.st_mode))
    return Error{ErrorCode::kIo, message(target.string(), ": only a regular file can be replaced")};
  return std::optional<mode_t>{old.st_mode & 07777};
}

struct Temporary {
  Descriptor file;
  std::string name;
};

// A new file beside the target. It never can be read by more users than the target can.
Result<Temporary> create_temporary(const std::filesystem::path& target,
                                   std::optional<mode_t> mode) {
  constexpr std::size_t kKeptName =
      200;  // of the target's: a folder takes names of up to 255 bytes
  const std::string stem = "." + target.filename().string().substr(0, kKeptName) + ".";
  for (;;) {
    std::uint64_t random = 0;
    if (::getentropy(&random, sizeof random) != 0) return io_error(target, "draw a random name");
    std::string name = (target.parent_path() / (stem + std::to_string(random))).string();
    Descriptor file{
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode.value_or(0666))};
    if (file.valid()) return Temporary{std::move(file), std::move(name)};
    if (errno != EEXIST) return io_error(target, "create a temporary file beside it");
  }
}

Status fill_and_rename(Temporary& temporary, std::optional<mode_t> mode,
                       const std::filesystem::path& target, std::span<const ByteView> parts,
                       bool (*stop)()) {
  const int fd = temporary.file.get();
  for (const ByteView part : parts) {
    if (write_all(fd, part, stop)) continue;
    if (errno != EINTR) return io_error(target, "write");
    return Error{
        ErrorCode::kIo,
        message(target.string(), ": interrupted before it was written; what was there stays")};
  }
  if (mode && ::fchmod(fd, *mode) != 0) return io_error(target, "keep the mode");
  if (::fsync(fd) != 0) return io_error(target, "sync");
  if (!temporary.file.close()) return io_error(target, "close");
  if (::rename(temporary.name.c_str(), target.c_str()) != 0) return io_error(target, "replace");
  return ok();
}

// Empty for an empty file.
Result<ByteSpan> map(int fd, const std::filesystem::path& path, int protection) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return io_error(path, "stat");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo, message(path.string(), ": only a regular file can be mapped")};
  if (info.st_size == 0) return ByteSpan{};
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return io_error(path, "map");
  return ByteSpan{static_cast<std::byte*>(data), size};
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, DecodeLimits limits) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.valid()) return io_error(path, "open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return io_error(path, "stat");
  if (S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) > limits.max_bytes)
    return too_large(path, limits.max_bytes);
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  bytes.resize(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : 65536);
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, "read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limits.max_bytes) return too_large(path, limits.max_bytes);
  }
  bytes.resize(used);
  return bytes;
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.valid()) return io_error(path, "open");
  const auto pages = map(file.get(), path, PROT_READ);
  if (!pages) return pages.error();
  return MappedFile{pages->data(), pages->size()};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<WritableMappedFile> WritableMappedFile::open(const std::filesystem::path& path) {
  Descriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!file.valid()) return io_error(path, "open for writing");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_error(path, "lock");
    return Error{
        ErrorCode::kIo,
        message(path.string(), ": another program is writing to the file; wait until it is done")};
  }
  const auto pages = map(file.get(), path, PROT_READ | PROT_WRITE);
  if (!pages) return pages.error();
  return WritableMappedFile{path, file.release(), pages->data(), pages->size()};
}

WritableMappedFile::WritableMappedFile(WritableMappedFile&& other) noexcept
    : path_{std::move(other.path_)},
      fd_{std::exchange(other.fd_, -1)},
      data_{std::exchange(other.data_, nullptr)},
      size_{std::exchange(other.size_, 0)} {}

WritableMappedFile& WritableMappedFile::operator=(WritableMappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

WritableMappedFile::~WritableMappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (fd_ >= 0) ::close(fd_);
}

Status WritableMappedFile::sync() {
  if (size_ > 0 && ::msync(data_, size_, MS_SYNC) != 0) return io_error(path_, "sync");
  if (::fsync(fd_) != 0) return io_error(path_, "sync");
  return ok();
}

Status WritableMappedFile::replace_start(ByteView start) {
  assert(start.size() <= kSector && start.size() <= size_);
  // One call for less than a sector: neither a signal nor a loss of power comes in its middle.
  if (::pwrite(fd_, start.data(), start.size(), 0) != static_cast<ssize_t>(start.size()))
    return io_error(path_, "write");
  if (::fsync(fd_) != 0) return io_error(path_, "sync");
  return ok();
}

Status save_file(const std::filesystem::path& path, std::span<const ByteView> parts,
                 bool (*stop)()) {
  const auto target = behind_links(path);
  if (!target) return target.error();
  const auto mode = old_mode(*target);
  if (!mode) return mode.error();
  auto temporary = create_temporary(*target, *mode);
  if (!temporary) return temporary.error();
  if (auto done = fill_and_rename(*temporary, *mode, *target, parts, stop); !done) {
    ::unlink(temporary->name.c_str());
    return done;
  }
  return sync_folder(target->has_parent_path() ? target->parent_path() : ".");
}

Status save_file(const std::filesystem::path& path, ByteView bytes, bool (*stop)()) {
  return save_file(path, std::span{&bytes, 1}, stop);
}

}  // namespace bloomery
