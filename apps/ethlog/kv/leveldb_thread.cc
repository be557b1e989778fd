#include "apps/ethlog/kv/leveldb_thread.h"

#include <leveldb/env.h>

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error no_thread(const std::system_error& failed) {
  return {ErrorCode::kTooLarge,
          message("the database could not start its thread: ", failed.code().message(),
                  "; allow this user more processes, or this process more memory")};
}

}  // namespace

Status start_leveldb_thread() {
  static std::mutex mutex;
  static bool started = false;
  static std::optional<Error> broken;
  const std::lock_guard lock{mutex};
  if (started) return ok();
  if (broken) return *broken;
  try {
    std::thread{[] {}}.join();  // a thread of ours may fail
  } catch (const std::system_error& failed) {
    return no_thread(failed);
  }
  try {
    leveldb::Env::Default()->Schedule([](void*) {}, nullptr);
    started = true;
  } catch (const std::system_error& failed) {  // between the two: LevelDB keeps its lock for good
    broken = no_thread(failed);
    return *broken;
  }
  return ok();
}

}  // namespace bloomery::ethlog
