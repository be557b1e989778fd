#include "apps/cli/filters/write_lock.h"

#include <cmath>
#include <filesystem>
#include <iostream>

#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/cli/web/files.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

constexpr double kDefaultSeconds = 60;
constexpr double kLongestSeconds = 1e9;

void say_waiting(std::string_view path) {
  std::cerr << "bloomery: " << path
            << ": waiting for another process that is writing the file (--lock-timeout)\n"
            << std::flush;
}

// How many names the file has; 0 where there is none.
std::uintmax_t links_of(const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t links = std::filesystem::hard_link_count(path, unknown);
  return unknown ? 0 : links;
}

void warn_of_links(const std::string& path, std::uintmax_t links, const Globals& globals) {
  if (links < 2 || globals.quiet) return;
  warn(path, message("the file had ", links - 1, links == 2 ? " other name" : " other names",
                     " (hard links), which ", links == 2 ? "keeps" : "keep",
                     " the old content, because a save replaces the file under its own name"));
}

Result<FileLock> acquire(const std::string& path, const Globals& globals) {
  const double seconds = globals.lock_timeout.value_or(kDefaultSeconds);
  const LockWait wait{
      .timeout = std::chrono::milliseconds{std::llround(std::ceil(seconds * 1000))},
      .notice = globals.quiet ? nullptr : say_waiting,
  };
  auto lock = FileLock::acquire(path, wait);
  if (lock || !lock.error().message.ends_with("to the file")) return lock;
  return Error{lock.error().code,
               lock.error().message + "; --lock-timeout SECONDS waits until it is done"};
}

}  // namespace

void add_lock_option(CommandLine& app, Globals& globals) {
  app.add_option("--lock-timeout", globals.lock_timeout,
                 "Time to wait while another process writes the file, before exit 2 (default: 60; "
                 "0: do not wait)")
      ->between(0, kLongestSeconds)
      ->value_name("SECONDS")
      ->group("Filter file");
}

bool lock_to_update(const std::string& path, Session& session) {
  return lock_to_write(path, true, session);
}

bool lock_to_write(const std::string& path, bool force, Session& session) {
  if (is_redis_address(path) || path == "-") return true;
  if (is_web_address(path)) {
    session.exit_code = complain(path, web_is_read_only(), Blame::kArguments);
    return false;
  }
  auto lock = force ? acquire(path, session.globals) : Result<FileLock>{FileLock{}};
  if (!lock) {
    session.exit_code = complain(path, lock.error(), Blame::kArguments);
    return false;
  }
  session.locked = {path, std::move(*lock)};
  return true;
}

Status save_locked(const std::string& path, ByteView bytes, bool force, const Session& session) {
  const auto save = [&](const FileLock& lock) -> Status {
    const std::uintmax_t links = links_of(path);
    auto saved = [&] {
      const InterruptGuard guard;
      return save_file(path, bytes, lock, InterruptGuard::interrupted);
    }();
    if (saved) warn_of_links(path, links, session.globals);
    return saved;
  };
  if (session.locked.path == path) return save(session.locked.lock);
  if (!force) return save({});
  for (;;) {
    const auto lock = acquire(path, session.globals);
    if (!lock) return lock.error();
    auto saved = save(*lock);
    std::error_code unknown;
    // A file that appeared meanwhile is replaced too, under its own lock.
    if (saved || lock->held() || !std::filesystem::exists(path, unknown)) return saved;
  }
}

bool refuse_lock_timeout(std::string_view why, Session& session) {
  if (!session.globals.lock_timeout) return false;
  session.exit_code = complain(message("--lock-timeout has no effect: ", why), kExitUsage);
  return true;
}

}  // namespace bloomery::cli
