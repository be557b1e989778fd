#include "apps/ethlog/store/read_at.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

struct ReadAt::File {
  explicit File(std::filesystem::path name)
      : path{std::move(name)}, descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
  std::filesystem::path path;
  int descriptor;
};

Result<ReadAt> ReadAt::open(const std::filesystem::path& path) {
  auto file = std::make_shared<const File>(path);
  struct stat facts {};
  if (file->descriptor < 0 || ::fstat(file->descriptor, &facts) != 0)
    return Error{ErrorCode::kIo, message(path.string(), ": cannot open: ", std::strerror(errno))};
  if (!S_ISREG(facts.st_mode))
    return Error{ErrorCode::kIo, message(path.string(), ": a regular file was expected")};
  return ReadAt{std::move(file), static_cast<std::uint64_t>(facts.st_size)};
}

Result<std::vector<std::byte>> ReadAt::read(std::uint64_t offset, std::size_t size) const {
  const auto ends = [&](std::uint64_t end) {
    return Error{ErrorCode::kTruncated,
                 message(file_ ? file_->path.string() + ": " : std::string{}, size, " bytes from ",
                         offset, " on were expected, but it ends at ", end)};
  };
  if (offset > size_ || size > size_ - offset) return ends(size_);
  if (!file_) {
    const ByteView part = bytes_.subspan(static_cast<std::size_t>(offset), size);
    return std::vector<std::byte>{part.begin(), part.end()};
  }
  std::vector<std::byte> out(size);
  for (std::size_t got = 0; got < size;) {
    const ssize_t some =
        ::pread(file_->descriptor, out.data() + got, size - got, static_cast<off_t>(offset + got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0)
      return Error{ErrorCode::kIo,
                   message(file_->path.string(), ": cannot read: ", std::strerror(errno))};
    if (some == 0) {  // it was cut since it was opened
      struct stat now {};
      return ends(::fstat(file_->descriptor, &now) == 0 ? static_cast<std::uint64_t>(now.st_size)
                                                        : offset + got);
    }
    got += static_cast<std::size_t>(some);
  }
  return out;
}

}  // namespace bloomery::ethlog
