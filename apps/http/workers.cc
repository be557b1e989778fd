#include "apps/http/workers.h"

#include <algorithm>

namespace bloomery::http {

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back([this] { run(); });
}

Workers::~Workers() { finish(); }

void Workers::add(std::function<void()> job) {
  {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Workers::finish() {
  {
    const std::lock_guard lock{mutex_};
    finishing_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

void Workers::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds ends before another thread could see it idle
    lock.lock();
  }
}

}  // namespace bloomery::http
