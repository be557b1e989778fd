#include "apps/ethlog/kv/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 16;

// The folder, locked; -1 where it is not ours, another process has it, or it is gone.
int lock_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat opened {};
  struct stat named {};
  const bool ours = ::fstat(folder, &opened) == 0 && opened.st_uid == ::geteuid() &&
                    ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  // Between open and flock another process may have removed it.
  const bool there = ours && ::lstat(path.c_str(), &named) == 0 && named.st_dev == opened.st_dev &&
                     named.st_ino == opened.st_ino;
  if (there) return folder;
  ::close(folder);
  return -1;
}

void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code failed;
  for (fs::directory_iterator at{parent, failed}, end; !failed && at != end; at.increment(failed)) {
    if (!at->path().filename().string().starts_with(prefix)) continue;
    const int folder = lock_folder(at->path());
    if (folder < 0) continue;
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
    ::close(folder);
  }
}

Error not_made(const fs::path& parent, int why) {
  return {ErrorCode::kIo,
          message(parent.string(),
                  ": cannot make a folder for what the database writes when it is opened: ",
                  std::strerror(why), "; free disk space there, or set TMPDIR to another folder")};
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& prefix) {
  std::error_code failed;
  const fs::path parent = fs::temp_directory_path(failed);
  if (failed) return not_made("the folder that TMPDIR names", failed.value());
  remove_abandoned(parent, prefix);
  for (int tries = 0; tries < kTries; ++tries) {
    std::string name = (parent / (prefix + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) return not_made(parent, errno);
    // Not at once, if another process has just taken it for abandoned.
    const int folder = lock_folder(name);
    if (folder >= 0) return TemporaryFolder{name, folder};
    std::error_code ignored;
    fs::remove_all(name, ignored);
  }
  return not_made(parent, EBUSY);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_{std::exchange(other.path_, {})}, lock_{std::exchange(other.lock_, -1)} {}

TemporaryFolder::~TemporaryFolder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace bloomery::ethlog
