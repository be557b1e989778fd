// Sections answered one after the other, or by threads that run ahead of the search.
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "apps/ethlog/index/adaptive/match.h"

namespace bloomery::ethlog {
namespace {

// Threads take sections in order and leave the answers, no further ahead than `kMostAhead`.
class Ahead {
 public:
  Ahead(const BlockRange& range, std::uint64_t section_size, std::size_t threads,
        const AnswerSection& answer)
      : range_{range},
        size_{section_size},
        answer_{answer},
        next_{range.first / section_size},
        last_{range.last / section_size},
        taken_{next_} {
    const std::uint64_t wanted = std::min<std::uint64_t>(threads, last_ - next_ + 1);
    threads_.reserve(wanted);
    try {
      for (std::uint64_t i = 0; i < wanted; ++i) threads_.emplace_back([this] { work_guarded(); });
    } catch (const std::exception&) {
      // The system gives no more threads: those that run do the work of all.
    }
  }
  ~Ahead() {
    {
      const std::lock_guard lock{mutex_};
      quit_ = true;
    }
    changed_.notify_all();
  }

  bool has_threads() const { return !threads_.empty(); }

  // Precondition: has_threads().
  Result<SectionAnswer> take() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return failed_ || answers_.contains(taken_); });
    if (!answers_.contains(taken_))
      return Error{ErrorCode::kIo, "the search ended early: not enough memory"};
    auto answer = std::move(answers_.extract(taken_).mapped());
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    return answer;
  }

 private:
  static constexpr std::uint64_t kMostAhead = 16;

  // Memory that runs out here is reported where the answers are taken.
  void work_guarded() noexcept {
    try {
      work();
    } catch (const std::exception&) {
      const std::lock_guard lock{mutex_};
      failed_ = true;
    }
    changed_.notify_all();
  }

  void work() {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return quit_ || next_ > last_ || next_ < taken_ + kMostAhead; });
      if (quit_ || next_ > last_) return;
      const std::uint64_t section = next_++;
      lock.unlock();
      auto answer = answer_(range_in_section(section, range_.first, range_.last, size_));
      lock.lock();
      answers_.emplace(section, std::move(answer));
      changed_.notify_all();
    }
  }

  const BlockRange range_;
  const std::uint64_t size_;
  const AnswerSection& answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_;
  const std::uint64_t last_;
  std::uint64_t taken_;
  bool quit_ = false;
  bool failed_ = false;
  std::map<std::uint64_t, Result<SectionAnswer>> answers_;
  std::vector<std::jthread> threads_;  // the last member: they end before the others do
};

}  // namespace

Status answer_in_turn(const BlockRange& range, std::uint64_t section_size,
                      const AnswerSection& answer, const OnAnswer& on_answer,
                      const std::stop_token& stop) {
  Status outcome = ok();
  for_each_section(range.first, range.last, section_size, [&](const SectionRange& part) {
    if (stop.stop_requested()) return false;
    const auto answered = answer(part);
    if (!answered) outcome = answered.error();
    return answered && on_answer(*answered);
  });
  return outcome;
}

Status answer_ahead(const BlockRange& range, std::uint64_t section_size, std::size_t threads,
                    const AnswerSection& answer, const OnAnswer& on_answer,
                    const std::stop_token& stop, std::uint64_t& threaded) {
  if (range.first > range.last) return ok();
  Ahead ahead{range, section_size, threads, answer};
  if (!ahead.has_threads()) return answer_in_turn(range, section_size, answer, on_answer, stop);
  const AnswerSection take = [&](const SectionRange&) {
    threaded += 1;
    return ahead.take();
  };
  return answer_in_turn(range, section_size, take, on_answer, stop);
}

}  // namespace bloomery::ethlog
