#include "apps/tracker/state/held_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "bloomery/base/message.h"

namespace bloomery::tracker {

HeldFolder::HeldFolder(std::filesystem::path path)
    : path_{std::move(path)}, fd_{::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)} {}

HeldFolder::~HeldFolder() {
  if (fd_ >= 0) ::close(fd_);
}

Status HeldFolder::in_place() const {
  struct stat held {};
  struct stat named {};
  if (fd_ < 0 || ::fstat(fd_, &held) != 0) return ok();
  const bool is_named = ::stat(path_.c_str(), &named) == 0;
  // What cannot be looked at is not known to be gone.
  if (!is_named && errno != ENOENT && errno != ENOTDIR) return ok();
  if (is_named && held.st_dev == named.st_dev && held.st_ino == named.st_ino) return ok();
  return Error{ErrorCode::kIo,
               message(path_.string(), ": the state folder was ",
                       is_named ? "replaced by another" : "removed or moved",
                       " while it was in use, and nothing more is saved; start again, and "
                       "everything counts as changed once")};
}

}  // namespace bloomery::tracker
