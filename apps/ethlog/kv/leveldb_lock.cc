#include "apps/ethlog/kv/leveldb_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

std::string name_of(long process) {
  return process > 0 ? message(" (process ", process, ")") : std::string{};
}

}  // namespace

Error open_elsewhere(const std::filesystem::path& folder, long process) {
  return {ErrorCode::kIo,
          message("The database ", folder.string(), " is open in another program", name_of(process),
                  ", which may change it at any time: stop that program first, or search a copy. "
                  "If it is bloomery eth serve, ask it: it answers eth_getLogs.")};
}

Status free_to_write(const std::filesystem::path& folder) {
  const int file = ::open((folder / "LOCK").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return ok();  // a new folder, or one whose trouble LevelDB says
  struct flock wanted = {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  const bool known = ::fcntl(file, F_GETLK, &wanted) == 0;
  const bool locked = known && wanted.l_type != F_UNLCK;
  const bool by_go = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  if (!locked && !by_go) return ok();
  return Error{
      ErrorCode::kIo,
      message("The database ", folder.string(), " is open in another program",
              name_of(locked ? wanted.l_pid : 0),
              ", and it has one writer at a time: stop that program first. If it is bloomery eth "
              "serve, let it take new blocks itself (--follow).")};
}

}  // namespace bloomery::ethlog
