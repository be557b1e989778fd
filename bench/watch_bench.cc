// The watcher: how many changes of real files per second it keeps up with, and how many marks.
//   watch_bench [changes]     400000 by default
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "apps/tracker/watch/client.h"
#include "apps/tracker/watch/socket_server.h"
#include "bloomery/base/message.h"

namespace bloomery::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace tracker;

constexpr std::uint64_t kFolders = 1000;
constexpr std::uint64_t kOpenFiles = 500;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Scratch {
  std::string path = "/dev/shm/watch-bench-XXXXXX";
  Scratch() {
    if (::mkdtemp(path.data()) == nullptr) std::exit(1);
  }
  ~Scratch() { std::filesystem::remove_all(path); }
};

// Each change opens, writes and closes another file: several events, one mark.
void change_files(const std::string& root, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    const std::string file = message(root, "/", i % kFolders, "/", i / kFolders % 100);
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    (void)!::write(fd, "x", 1);
    ::close(fd);
  }
}

// Files that stay open, as logs do: one call for each change.
void write_open_files(const std::string& root, std::uint64_t count) {
  std::vector<int> files;
  for (std::uint64_t i = 0; i < kOpenFiles; ++i)
    files.push_back(::open(message(root, "/", i, "/log").c_str(), O_WRONLY | O_CREAT, 0666));
  for (std::uint64_t i = 0; i < count; ++i) (void)!::pwrite(files[i % kOpenFiles], "x", 1, 0);
  for (const int file : files) ::close(file);
}

enum class Kind : std::uint8_t { kOpenWriteClose, kWrite };

void keep_up(WatchChoice choice, Kind kind, std::uint64_t changes) {
  const Scratch scratch;
  const std::string root = scratch.path + "/root";
  for (std::uint64_t i = 0; i < kFolders; ++i)
    std::filesystem::create_directories(message(root, "/", i));
  auto watcher = Watcher::start(
      {.tracker = {.folder = scratch.path + "/state", .roots = std::vector<std::string>{root}},
       .backend = choice});
  if (!watcher || !(*watcher)->next_cycle()) {
    std::cout << "skipped: " << (watcher ? "no cycle" : watcher.error().message) << '\n';
    return;
  }
  const auto start = Clock::now();
  if (kind == Kind::kWrite) {
    write_open_files(root, changes);
  } else {
    change_files(root, 0, changes);
  }
  const double changing = seconds_since(start);
  (void)(*watcher)->barrier();
  const double all = seconds_since(start);
  const TrackerStatus status = *(*watcher)->status();
  std::cout << status.watch->backend << ": " << changes
            << (kind == Kind::kWrite ? " writes to open files at " : " files written at ")
            << static_cast<std::uint64_t>(static_cast<double>(changes) / changing)
            << "/s by one thread, all marked " << (all - changing) * 1000 << " ms after the last; "
            << status.watch->events << " events, " << status.watch->overflows << " overflows, "
            << status.cycles.front().keys.value_or(0) << " keys, false-positive rate "
            << status.cycles.front().health.error_rate << '\n';
}

void marks_by_socket(std::uint64_t marks) {
  const Scratch scratch;
  auto watcher = Watcher::start({.tracker = {.folder = scratch.path}});
  if (!watcher || !(*watcher)->next_cycle()) return;
  const auto server = SocketServer::start(**watcher, scratch.path);
  auto client = open_watcher({.tracker = {.folder = scratch.path}});
  if (!server || !client || !*client) return;
  std::vector<std::string> paths;
  for (std::uint64_t i = 0; i < marks; ++i)
    paths.push_back(message("bucket/", i % 16, "/", i / 100, "/object-", i));
  const auto start = Clock::now();
  (void)(*client)->mark(paths, false);
  (void)(*client)->barrier();
  const double all = seconds_since(start);
  const TrackerStatus status = *(*client)->status();
  std::cout << "socket: " << static_cast<std::uint64_t>(static_cast<double>(marks) / all)
            << " marks/s, " << status.lost_marks << " lost, " << status.cycles.front().bytes
            << " bytes, false-positive rate " << status.cycles.front().health.error_rate << '\n';
}

}  // namespace
}  // namespace bloomery::bench

int main(int count, char** arguments) {
  const std::uint64_t changes = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 400'000;
  using namespace bloomery::bench;
  for (const auto choice : {WatchChoice::kFanotify, WatchChoice::kInotify})
    for (const auto kind : {Kind::kOpenWriteClose, Kind::kWrite}) keep_up(choice, kind, changes);
  marks_by_socket(changes);
}
