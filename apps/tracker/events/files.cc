#include "apps/tracker/events/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::size_t kLongestStep = 4000;  // the kernel takes 4095 bytes of path at a time

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor open_folder(std::string_view clean, int flags) {
  const int always = O_DIRECTORY | O_CLOEXEC;
  Descriptor at{::open("/", O_PATH | always)};
  while (clean.size() > kLongestStep && at.valid()) {
    const std::size_t slash = clean.rfind('/', kLongestStep);
    const std::string step{clean.substr(0, slash)};
    at = Descriptor{::openat(at.get(), step.c_str(), O_PATH | always)};
    clean.remove_prefix(slash + 1);
  }
  if (!at.valid()) return at;
  const std::string rest{clean.empty() ? std::string_view{"."} : clean};
  return Descriptor{::openat(at.get(), rest.c_str(), flags | always | O_NOFOLLOW)};
}

std::string name_of(const Descriptor& descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor.get());
}

FolderKind kind_of(const Descriptor& folder) {
  constexpr std::uint64_t kSubvolumeInode = 256;  // the first of each
  struct statx found {};
  if (::statx(folder.get(), "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &found) != 0) return {};
  return {.is_mount_root = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
          .is_subvolume = found.stx_ino == kSubvolumeInode};
}

Status touch_marker(const std::filesystem::path& folder, std::string_view kind,
                    std::uint64_t number) {
  const std::string path = (folder / message(kind, "-", number)).string();
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  if (!file.valid())
    return Error{ErrorCode::kIo, message(path, ": cannot be made: ", std::strerror(errno))};
  ::unlink(path.c_str());
  return ok();
}

std::uint64_t marker_number(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind) || name.size() <= kind.size() || name[kind.size()] != '-') return 0;
  name.remove_prefix(kind.size() + 1);
  std::uint64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  return read.ec == std::errc{} && read.ptr == name.data() + name.size() ? number : 0;
}

}  // namespace bloomery::tracker
