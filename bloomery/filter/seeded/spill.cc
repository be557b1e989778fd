#include "bloomery/filter/seeded/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bloomery/base/message.h"

namespace bloomery::internal {
namespace {

Error spill_error(std::string_view directory, std::string_view doing, std::string_view reason) {
  return {ErrorCode::kIo, message(directory, ": cannot ", doing, " a temporary file for hashes: ",
                                  reason, "; name another folder for it or allow more memory")};
}

// Not every file system knows files that never had a name; there it is taken away at once.
int open_unnamed(const std::string& directory) {
  const int unnamed = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return unnamed;
  std::string name = directory + "/bloomery-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

Result<SpillFile> SpillFile::create(FileName directory) {
  std::error_code failed;
  const std::string chosen = directory.view().empty()
                                 ? std::filesystem::temp_directory_path(failed).string()
                                 : directory.string();
  if (failed) return spill_error("the system's temporary folder", "create", failed.message());
  const int descriptor = open_unnamed(chosen);
  if (descriptor < 0) return spill_error(chosen, "create", std::strerror(errno));
  return SpillFile{descriptor, chosen};
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      size_bytes_{other.size_bytes_},
      directory_{std::move(other.directory_)} {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(directory_, other.directory_);
  return *this;
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SpillFile::append(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_bytes_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return spill_error(directory_, "write", std::strerror(errno));
    size_bytes_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok();
}

Status SpillFile::read(std::uint64_t offset, ByteSpan into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return spill_error(directory_, "read", std::strerror(errno));
    if (got == 0) return spill_error(directory_, "read", "it ends before what was written to it");
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return ok();
}

}  // namespace bloomery::internal
