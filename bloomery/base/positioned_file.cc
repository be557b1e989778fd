#include <sys/stat.h>

#include "bloomery/base/descriptor.h"
#include "bloomery/base/new_file.h"

namespace bloomery {

using internal::Descriptor;
using internal::io_error;
using internal::without_interrupts;

Result<PositionedFile> PositionedFile::open_to_read(FileName path) {
  Descriptor file = Descriptor::open(path.string(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.valid()) return io_error(path, "open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return io_error(path, "stat");
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo, message(path.view(), ": it is not a regular file")};
  return PositionedFile{path.string(), file.release()};
}

Result<PositionedFile> PositionedFile::open_to_change(FileName path) {
  Descriptor file = Descriptor::open(path.string(), O_RDWR | O_NONBLOCK | O_NOCTTY);
  if (!file.valid()) return io_error(path, "open for writing");
  return PositionedFile{path.string(), file.release()};
}

PositionedFile::PositionedFile(PositionedFile&& other) noexcept
    : path_{std::move(other.path_)}, fd_{std::exchange(other.fd_, -1)}, closes_{other.closes_} {}
PositionedFile& PositionedFile::operator=(PositionedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(closes_, other.closes_);
  return *this;
}
PositionedFile::~PositionedFile() {
  if (closes_) const Descriptor closed{fd_};
}

Result<std::uint64_t> PositionedFile::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return io_error(path_, "stat");
  return static_cast<std::uint64_t>(info.st_size);
}

Status PositionedFile::read_at(std::uint64_t offset, ByteSpan into) const {
  while (!into.empty()) {
    const ssize_t got = without_interrupts(
        [&] { return ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset)); });
    if (got < 0) return io_error(path_, "read");
    if (got == 0)
      return Error{ErrorCode::kTruncated,
                   message(path_, ": the file ends at byte ", offset, ", and ", into.size(),
                           " more are needed; it became shorter while it was read")};
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return ok();
}

Status PositionedFile::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = without_interrupts(
        [&] { return ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written == 0) errno = ENOSPC;  // a write that writes nothing would be tried for ever
    if (written <= 0) return io_error(path_, "write");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok();
}

Status PositionedFile::set_size(std::uint64_t bytes) {
  if (without_interrupts([&] { return ::ftruncate(fd_, static_cast<off_t>(bytes)); }) != 0)
    return io_error(path_, "change its length");
  return ok();
}

Status PositionedFile::sync() {
  return internal::sync_file(fd_) ? ok() : Status{io_error(path_, "sync")};
}

}  // namespace bloomery
