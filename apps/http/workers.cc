#include "apps/http/workers.h"

#include <algorithm>

namespace bloomery::http {

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back([this] { run(Length::kLong); });
  threads_.emplace_back([this] { run(Length::kShort); });
}

Workers::~Workers() { finish(); }

void Workers::add(Length length, std::function<void()> job) {
  {
    const std::lock_guard lock{mutex_};
    (length == Length::kShort ? short_jobs_ : long_jobs_).push_back(std::move(job));
  }
  changed_.notify_all();  // one might be the one that takes no long job
}

void Workers::finish() {
  {
    const std::lock_guard lock{mutex_};
    finishing_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

Workers::Jobs* Workers::next(Length longest) {
  if (!short_jobs_.empty()) return &short_jobs_;
  return longest == Length::kLong && !long_jobs_.empty() ? &long_jobs_ : nullptr;
}

void Workers::run(Length longest) {
  std::unique_lock lock{mutex_};
  for (;;) {
    Jobs* jobs = nullptr;
    changed_.wait(lock, [&] { return (jobs = next(longest)) != nullptr || finishing_; });
    if (jobs == nullptr) return;
    auto job = std::move(jobs->front());
    jobs->pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds ends before another thread could see it idle
    lock.lock();
  }
}

}  // namespace bloomery::http
