// Debian's LevelDB exports no type information of its classes: this file is compiled without any.
#include "apps/ethlog/kv/overlay_env.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "apps/ethlog/kv/leveldb_lock.h"
#include "apps/ethlog/kv/whole_listing_env.h"

namespace bloomery::ethlog {
namespace {

class NoLock final : public leveldb::FileLock {};

// LevelDB locks by fcntl, goleveldb by flock. Shared locks of both kinds keep a writer out while we
// read, let other readers in, and change nothing in the folder.
bool is_locked_by_writer(int file) {
  struct flock shared = {};
  shared.l_type = F_RDLCK;
  shared.l_whence = SEEK_SET;
  if (::fcntl(file, F_SETLK, &shared) != 0 && (errno == EAGAIN || errno == EACCES)) return true;
  return ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

leveldb::Status not_found(const std::string& name) {
  return leveldb::Status::NotFound(name, "no such file");
}

leveldb::Status closing(const std::string& name) {
  return leveldb::Status::IOError(name, "the database is being closed");
}

}  // namespace

Result<std::unique_ptr<OverlayEnv>> OverlayEnv::over(const std::filesystem::path& folder) {
  const int lock_file = ::open((folder / "LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (lock_file >= 0 && is_locked_by_writer(lock_file)) {
    ::close(lock_file);
    return open_elsewhere(folder, 0);
  }
  auto temporary = TemporaryFolder::make("bloomery-overlay-");
  if (!temporary) {
    if (lock_file >= 0) ::close(lock_file);
    return temporary.error();
  }
  return std::unique_ptr<OverlayEnv>{new OverlayEnv{std::move(*temporary), lock_file}};
}

OverlayEnv::OverlayEnv(TemporaryFolder temporary, int lock_file)
    : EnvWrapper{leveldb::Env::Default()},
      owned_{std::move(temporary)},
      temporary_{owned_.path()},
      lock_file_{lock_file} {}

OverlayEnv::~OverlayEnv() {
  if (lock_file_ >= 0) ::close(lock_file_);
}

std::string OverlayEnv::written(const std::string& name) const {
  return (temporary_ / std::filesystem::path{name}.filename()).string();
}

std::string OverlayEnv::current(const std::string& name) const {
  const std::lock_guard lock{mutex_};
  if (removed_.contains(name)) return {};
  const std::string ours = written(name);
  return target()->FileExists(ours) ? ours : name;
}

leveldb::Status OverlayEnv::NewSequentialFile(const std::string& name,
                                              leveldb::SequentialFile** result) {
  const std::string place = current(name);
  return place.empty() ? not_found(name) : target()->NewSequentialFile(place, result);
}

leveldb::Status OverlayEnv::NewRandomAccessFile(const std::string& name,
                                                leveldb::RandomAccessFile** result) {
  const std::string place = current(name);
  return place.empty() ? not_found(name) : target()->NewRandomAccessFile(place, result);
}

leveldb::Status OverlayEnv::NewWritableFile(const std::string& name,
                                            leveldb::WritableFile** result) {
  const std::lock_guard lock{mutex_};
  if (released_) return closing(name);
  removed_.erase(name);
  return target()->NewWritableFile(written(name), result);
}

leveldb::Status OverlayEnv::NewAppendableFile(const std::string& name,
                                              leveldb::WritableFile** result) {
  const std::string place = current(name);
  const std::string ours = written(name);
  std::error_code failed;
  if (!place.empty() && place != ours && target()->FileExists(place))
    std::filesystem::copy_file(place, ours, failed);
  if (failed) return leveldb::Status::IOError(ours, failed.message());
  const std::lock_guard lock{mutex_};
  removed_.erase(name);
  return target()->NewAppendableFile(ours, result);
}

bool OverlayEnv::FileExists(const std::string& name) {
  const std::string place = current(name);
  return !place.empty() && target()->FileExists(place);
}

leveldb::Status OverlayEnv::GetChildren(const std::string& folder,
                                        std::vector<std::string>* result) {
  std::vector<std::string> theirs;
  std::vector<std::string> ours;
  if (const auto status = list_whole(folder, &theirs); !status.ok()) return status;
  if (const auto status = list_whole(temporary_.string(), &ours); !status.ok()) return status;
  std::set<std::string> names{theirs.begin(), theirs.end()};
  names.insert(ours.begin(), ours.end());
  const std::lock_guard lock{mutex_};
  for (const std::string& removed : removed_)
    names.erase(std::filesystem::path{removed}.filename().string());
  result->assign(names.begin(), names.end());
  return leveldb::Status::OK();
}

leveldb::Status OverlayEnv::RemoveFile(const std::string& name) {
  if (!FileExists(name)) return not_found(name);
  const std::lock_guard lock{mutex_};
  removed_.insert(name);
  const std::string ours = written(name);
  return target()->FileExists(ours) ? target()->RemoveFile(ours) : leveldb::Status::OK();
}

leveldb::Status OverlayEnv::CreateDir(const std::string&) { return leveldb::Status::OK(); }
leveldb::Status OverlayEnv::RemoveDir(const std::string&) { return leveldb::Status::OK(); }

leveldb::Status OverlayEnv::GetFileSize(const std::string& name, uint64_t* size) {
  const std::string place = current(name);
  return place.empty() ? not_found(name) : target()->GetFileSize(place, size);
}

leveldb::Status OverlayEnv::RenameFile(const std::string& from, const std::string& to) {
  const std::string place = current(from);
  if (place.empty()) return not_found(from);
  const std::lock_guard lock{mutex_};
  leveldb::Status status;
  if (place == written(from)) {
    status = target()->RenameFile(place, written(to));
  } else {  // a file of theirs stays where it is
    std::error_code failed;
    std::filesystem::copy_file(place, written(to),
                               std::filesystem::copy_options::overwrite_existing, failed);
    if (failed) status = leveldb::Status::IOError(from, failed.message());
  }
  if (!status.ok()) return status;
  removed_.insert(from);
  removed_.erase(to);
  return status;
}

leveldb::Status OverlayEnv::LockFile(const std::string&, leveldb::FileLock** lock) {
  *lock = new NoLock;
  return leveldb::Status::OK();
}

leveldb::Status OverlayEnv::UnlockFile(leveldb::FileLock* lock) {
  delete lock;
  return leveldb::Status::OK();
}

leveldb::Status OverlayEnv::NewLogger(const std::string& name, leveldb::Logger** result) {
  return target()->NewLogger(written(name), result);
}

// Called with the database's lock held: the work cannot be done here.
void OverlayEnv::Schedule(void (*function)(void*), void* argument) {
  const std::lock_guard lock{mutex_};
  held_.emplace_back(function, argument);
}

// A compaction that cannot write its first table leaves the database with an error, and then it
// wants no other; one that only moves a table to the next level may be followed by more.
OverlayEnv::Release::Release(OverlayEnv& env) {
  for (;;) {
    std::vector<std::pair<void (*)(void*), void*>> held;
    {
      const std::lock_guard lock{env.mutex_};
      env.released_ = true;
      held.swap(env.held_);
    }
    if (held.empty()) return;
    for (const auto& [function, argument] : held) function(argument);
  }
}

}  // namespace bloomery::ethlog
