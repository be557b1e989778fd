#include "bloomery/base/file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <string>

#include "bloomery/base/descriptor.h"

namespace bloomery {
namespace {

using internal::Descriptor;
using internal::io_error;

Error too_large(FileName path, std::uint64_t max_bytes) {
  return {ErrorCode::kTooLarge,
          message(path.view(), ": longer than the limit of ", max_bytes, " bytes")};
}

struct Mapping {
  ByteSpan bytes;  // none for an empty file
  dev_t device;
  ino_t inode;
};

Result<Mapping> map(int fd, FileName path, int protection) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return io_error(path, "stat");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo, message(path.view(), ": only a regular file can be mapped")};
  Mapping mapping{{}, info.st_dev, info.st_ino};
  if (info.st_size == 0) return mapping;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return io_error(path, "map");
  mapping.bytes = {static_cast<std::byte*>(data), size};
  return mapping;
}

}  // namespace

Result<std::vector<std::byte>> read_file(FileName path, DecodeLimits limits) {
  const Descriptor file = Descriptor::open(path.string(), O_RDONLY);
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

Result<MappedFile> MappedFile::open(FileName path) {
  const Descriptor file = Descriptor::open(path.string(), O_RDONLY);
  if (!file.valid()) return io_error(path, "open");
  const auto pages = map(file.get(), path, PROT_READ);
  if (!pages) return pages.error();
  return MappedFile{path.string(), pages->bytes.data(), pages->bytes.size(), pages->device,
                    pages->inode};
}

Status MappedFile::check_size() const {
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0 || now.st_dev != device_ || now.st_ino != inode_)
    return ok();
  if (static_cast<std::uint64_t>(now.st_size) >= size_) return ok();
  return Error{ErrorCode::kIo, message(path_, ": the file was truncated to ", now.st_size,
                                       " bytes while it was in use, and had ", size_,
                                       "; replace a file that is in use instead")};
}

// Advice only: where the kernel does not take it, reads are slower and no different.
void MappedFile::expect_reads(Reads reads) const {
  const int advice = reads == Reads::kRandom ? MADV_RANDOM : MADV_SEQUENTIAL;
  if (data_ != nullptr) (void)::madvise(const_cast<std::byte*>(data_), size_, advice);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_{std::move(other.path_)},
      data_{std::exchange(other.data_, nullptr)},
      size_{std::exchange(other.size_, 0)},
      device_{other.device_},
      inode_{other.inode_} {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<WritableMappedFile> WritableMappedFile::open(FileName name) {
  const std::string path = name.string();
  for (;;) {
    Descriptor file = Descriptor::open(path, O_RDWR);
    if (!file.valid()) return io_error(path, "open for writing");
    if (!internal::try_lock(file.get())) {
      if (errno != EWOULDBLOCK) return io_error(path, "lock");
      return Error{
          ErrorCode::kIo,
          message(path, ": another program is writing to the file; wait until it is done")};
    }
    struct stat locked {};
    struct stat named {};
    if (::fstat(file.get(), &locked) != 0 || ::stat(path.c_str(), &named) != 0)
      return io_error(path, "stat");
    // Replaced between open and lock: what is written to the old file would be lost.
    if (locked.st_dev != named.st_dev || locked.st_ino != named.st_ino) continue;
    const auto pages = map(file.get(), path, PROT_READ | PROT_WRITE);
    if (!pages) return pages.error();
    return WritableMappedFile{path, file.release(), pages->bytes.data(), pages->bytes.size()};
  }
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
  const auto write_pages = [&] { return ::msync(data_, size_, MS_SYNC); };
  if (size_ > 0 && internal::without_interrupts(write_pages) != 0) return io_error(path_, "sync");
  if (!internal::sync_file(fd_)) return io_error(path_, "sync");
  return ok();
}

Status WritableMappedFile::replace_start(ByteView start) {
  if (start.size() > kSector || start.size() > size_)
    return Error{ErrorCode::kInvalidArgument,
                 message(path_, ": cannot replace ", start.size(), " bytes at its start: ",
                         "at most a sector, and what the file has, can be replaced in one step")};
  // One call for less than a sector: neither a signal nor a loss of power comes in its middle.
  const ssize_t written =
      internal::without_interrupts([&] { return ::pwrite(fd_, start.data(), start.size(), 0); });
  if (written >= 0 && written != static_cast<ssize_t>(start.size())) errno = ENOSPC;
  if (written != static_cast<ssize_t>(start.size())) return io_error(path_, "write");
  if (!internal::sync_file(fd_)) return io_error(path_, "sync");
  return ok();
}

}  // namespace bloomery
