#include "apps/tracker/events/backlog.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kEntryBytes = 128;  // events may come one at a time

std::size_t cost_of(const WatchBacklog::Entry& entry) { return entry.bytes.size() + kEntryBytes; }

}  // namespace

WatchBacklog::WatchBacklog(std::vector<int> queues, int mounts, std::size_t max_bytes)
    : queues_{std::move(queues)}, mounts_{mounts}, max_bytes_{max_bytes}, buffer_(kReadBytes) {}

WatchBacklog::~WatchBacklog() {
  stop();
  if (wake_ >= 0) ::close(wake_);
}

Status WatchBacklog::start() {
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0)
    return Error{ErrorCode::kIo, message("no eventfd for the watcher: ", std::strerror(errno))};
  thread_ = std::thread{[this] { read_all(); }};
  return ok();
}

void WatchBacklog::stop() {
  {
    const std::lock_guard lock{mutex_};
    stops_ = true;
    held_ = false;
  }
  released_.notify_all();
  added_.notify_all();
  const std::uint64_t one = 1;
  if (wake_ >= 0) (void)!::write(wake_, &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

void WatchBacklog::hold(bool held) {
  std::unique_lock lock{mutex_};
  held_ = held;
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  released_.notify_all();
  released_.wait(lock, [&] { return holds_ == held || stops_; });
}

void WatchBacklog::read_all() {
  std::vector<pollfd> polled;
  for (const int queue : queues_) polled.push_back({queue, POLLIN, 0});
  polled.push_back({wake_, POLLIN, 0});
  if (mounts_ >= 0) polled.push_back({mounts_, POLLPRI, 0});
  for (;;) {
    const int ready = ::poll(polled.data(), polled.size(), -1);
    {
      std::unique_lock lock{mutex_};
      holds_ = held_;
      released_.notify_all();
      released_.wait(lock, [&] { return !held_; });
      holds_ = false;
      released_.notify_all();
      if (stops_) return;
    }
    if (ready < 0) continue;
    std::uint64_t woken = 0;
    if (polled[queues_.size()].revents != 0) (void)!::read(wake_, &woken, sizeof woken);
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (polled[i].revents != 0) read_from(i);
    if (mounts_ >= 0 && polled.back().revents != 0) add({.kind = Entry::Kind::kMounts});
  }
}

void WatchBacklog::read_from(std::size_t source) {
  const ssize_t size = ::read(queues_[source], buffer_.data(), buffer_.size());
  if (size > 0) {
    add({.kind = Entry::Kind::kEvents,
         .source = source,
         .bytes = {buffer_.begin(), buffer_.begin() + size}});
  } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
    add({.kind = Entry::Kind::kLost, .source = source});
  }
}

// What does not fit is dropped, and one entry says so for all of it.
void WatchBacklog::add(Entry entry) {
  const std::lock_guard lock{mutex_};
  entry.number = ++number_;
  if (bytes_ + cost_of(entry) > max_bytes_) {
    entry.kind = Entry::Kind::kLost;
    entry.bytes = {};
  }
  if (!entries_.empty() && entry.kind != Entry::Kind::kEvents &&
      entries_.back().kind == entry.kind && entries_.back().source == entry.source) {
    entries_.back().number = entry.number;
    return;
  }
  bytes_ += cost_of(entry);
  entries_.push_back(std::move(entry));
  added_.notify_one();
}

void WatchBacklog::add_work(std::function<void()> work) {
  const std::lock_guard lock{mutex_};
  entries_.push_back({.kind = Entry::Kind::kWork, .number = number_, .work = std::move(work)});
  bytes_ += kEntryBytes;
  added_.notify_one();
}

WatchBacklog::Entry WatchBacklog::take(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  added_.wait_for(lock, patience, [&] { return !entries_.empty() || stops_; });
  if (entries_.empty()) return {};
  Entry entry = std::move(entries_.front());
  entries_.pop_front();
  bytes_ -= cost_of(entry);
  return entry;
}

bool WatchBacklog::is_empty() const {
  const std::lock_guard lock{mutex_};
  return entries_.empty();
}

std::uint64_t WatchBacklog::last_number() const {
  const std::lock_guard lock{mutex_};
  return number_;
}

std::size_t WatchBacklog::bytes() const {
  const std::lock_guard lock{mutex_};
  return bytes_;
}

}  // namespace bloomery::tracker
