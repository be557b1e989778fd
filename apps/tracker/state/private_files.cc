#include "apps/tracker/state/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kOfOthers = 0077;

}  // namespace

Status make_private_folder(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  std::filesystem::path at;
  for (const auto& part : whole) {
    at /= part;
    if (::mkdir(at.c_str(), kPrivateFolder) == 0 || errno == EEXIST) continue;
    const int why = errno;  // a folder above may be closed to us, or lie on a read-only file system
    std::error_code ignored;
    if (std::filesystem::is_directory(at, ignored)) continue;
    return Error{ErrorCode::kIo,
                 message(folder.string(), ": cannot be made: ", std::strerror(why))};
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(whole, ignored))
    return Error{ErrorCode::kIo,
                 message(folder.string(), ": cannot be made: ", std::strerror(ENOTDIR))};
  return ok();
}

int open_private(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivateFile);
  struct stat info {};
  if (fd >= 0 && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
      (info.st_mode & kOfOthers) != 0)
    (void)::fchmod(fd, info.st_mode & static_cast<mode_t>(~kOfOthers));
  return fd;
}

// save_file keeps the mode of the file that it replaces, so an empty one is put there first.
Status save_private(const std::filesystem::path& path, std::span<const ByteView> parts) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path, ignored);
  if (const int fd = open_private(path); fd >= 0) ::close(fd);
  auto saved = save_file(path, parts);
  if (!saved && is_new && std::filesystem::file_size(path, ignored) == 0)
    std::filesystem::remove(path, ignored);
  return saved;
}

Status save_private(const std::filesystem::path& path, ByteView bytes) {
  return save_private(path, std::span{&bytes, 1});
}

std::string trouble_with_folder(const std::filesystem::path& folder) {
  constexpr mode_t kWrittenByOthers = 0022;
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || (info.st_mode & kWrittenByOthers) == 0) return {};
  return "other users can write to this folder, and so replace the tracker's files; use one of "
         "mode 700";
}

}  // namespace bloomery::tracker
