#include "bloomery/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

Error too_large(const std::filesystem::path& path, std::uint64_t max_bytes) {
  return {ErrorCode::kTooLarge, message(path.string(), ": longer than the limit of ", max_bytes, " bytes")};
}

bool write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// A rename is durable once its folder is.
Status sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0) return io_error(folder, "sync the folder");
  return ok();
}

mode_t wanted_mode(const std::filesystem::path& path) {
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0) return old.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

Status fill_and_rename(Descriptor& file, const std::string& temporary, const std::filesystem::path& target,
                       std::span<const ByteView> parts) {
  for (const ByteView part : parts)
    if (!write_all(file.get(), part)) return io_error(target, "write");
  if (::fchmod(file.get(), wanted_mode(target)) != 0) return io_error(target, "set the mode");
  if (::fsync(file.get()) != 0) return io_error(target, "sync");
  if (!file.close()) return io_error(target, "close");
  if (::rename(temporary.c_str(), target.c_str()) != 0) return io_error(target, "replace");
  return ok();
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
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return io_error(path, "stat");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo, message(path.string(), ": only a regular file can be mapped")};
  if (info.st_size == 0) return MappedFile{nullptr, 0};
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return io_error(path, "map");
  return MappedFile{static_cast<const std::byte*>(data), size};
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

Status save_file(const std::filesystem::path& path, std::span<const ByteView> parts) {
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(path, ignored);
  if (ignored) target = path;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::string temporary = (folder / ("." + target.filename().string() + ".XXXXXX")).string();
  Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!file.valid()) return io_error(path, "create a temporary file beside it");
  if (auto done = fill_and_rename(file, temporary, target, parts); !done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return sync_folder(folder);
}

Status save_file(const std::filesystem::path& path, ByteView bytes) {
  return save_file(path, std::span{&bytes, 1});
}

}  // namespace bloomery
