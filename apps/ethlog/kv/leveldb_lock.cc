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
          message(folder.string(), ": the database is open in another program", name_of(process),
                  ", which may change it at any time; stop that program first, or search a copy "
                  "(bloomery eth serve: send eth_getLogs to it)")};
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
      message(folder.string(), ": the database is open in another program",
              name_of(locked ? wanted.l_pid : 0),
              ", and only one program may write to it; stop that program first (bloomery eth serve "
              "adds new blocks itself with --follow)")};
}

}  // namespace bloomery::ethlog
