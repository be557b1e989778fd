#include "apps/http/workers.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace bloomery::http {

Workers::Workers(std::size_t threads) {
  try {
    start(std::max<std::size_t>(threads, 1));
  } catch (...) {
    finish();  // those that began would wait for ever
    throw;
  }
}

Workers::~Workers() { finish(); }

void Workers::start(std::size_t threads) {
  threads_.reserve(threads + 1);
  threads_.emplace_back([this] { run(Length::kShort); });
  threads_.emplace_back([this] { run(Length::kLong); });
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { run(Length::kLong); });
  } catch (const std::system_error&) {  // no more threads: those that run do the work of all
  }
}

void Workers::add(Length length, std::shared_ptr<Job> job) noexcept {
  {
    const std::lock_guard lock{mutex_};
    Jobs& jobs = length == Length::kShort ? short_jobs_ : long_jobs_;
    Job* const added = job.get();
    (jobs.first ? jobs.last->next_job_ : jobs.first) = std::move(job);
    jobs.last = added;
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

std::shared_ptr<Workers::Job> Workers::take(Jobs& jobs) {
  auto job = std::move(jobs.first);
  jobs.first = std::move(job->next_job_);
  return job;
}

std::shared_ptr<Workers::Job> Workers::next(Length longest) {
  if (short_jobs_.first) return take(short_jobs_);
  return longest == Length::kLong && long_jobs_.first ? take(long_jobs_) : nullptr;
}

void Workers::run(Length longest) {
  std::unique_lock lock{mutex_};
  for (;;) {
    std::shared_ptr<Job> job;
    changed_.wait(lock, [&] { return (job = next(longest)) != nullptr || finishing_; });
    if (job == nullptr) return;
    lock.unlock();
    Job& working = *job;
    working.work(std::move(job));
    lock.lock();
  }
}

}  // namespace bloomery::http
