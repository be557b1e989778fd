#include "apps/ethlog/node/request_gate.h"

#include <algorithm>

#include "apps/ethlog/node/connection.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kRow = 20;  // successes before one more is allowed

}  // namespace

bool RequestGate::enter(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  for (;;) {
    if (stop.stop_requested()) return false;
    const auto now = Clock::now();
    if (inside_ < allowed_ && now >= not_before_) break;
    const auto until = now >= not_before_ ? now + std::chrono::seconds{1} : not_before_;
    changed_.wait_until(lock, stop, until,
                        [&] { return inside_ < allowed_ && Clock::now() >= not_before_; });
  }
  inside_ += 1;
  return true;
}

void RequestGate::leave(bool succeeded) {
  {
    const std::lock_guard lock{mutex_};
    inside_ -= 1;
    successes_ = succeeded ? successes_ + 1 : 0;
    if (successes_ >= kRow && allowed_ < most_) {
      allowed_ += 1;
      successes_ = 0;
    }
  }
  changed_.notify_all();
}

void RequestGate::slow_down(std::chrono::milliseconds wait) {
  const std::lock_guard lock{mutex_};
  const auto now = Clock::now();
  // Requests that were under way together are one occasion.
  if (now >= not_before_) allowed_ = std::max<std::size_t>(1, allowed_ / 2);
  not_before_ = std::max(not_before_, now + wait);
  successes_ = 0;
}

std::chrono::milliseconds back_off(std::size_t failures, std::chrono::milliseconds first,
                                   std::chrono::milliseconds most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const std::size_t doublings = std::min<std::size_t>(failures, 20);
  const auto whole = std::min(first * (std::int64_t{1} << doublings), most);
  std::uniform_int_distribution<std::int64_t> part{whole.count() / 2, whole.count()};
  return std::chrono::milliseconds{part(random)};
}

bool wait_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace bloomery::ethlog
