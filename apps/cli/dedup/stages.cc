#include "apps/cli/dedup/stages.h"

#include <array>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace bloomery::cli {
namespace {

using Stage = std::function<Result<bool>(Chunk&)>;  // false: this chunk is not there

// A ring of chunks. A stage may work on chunk n once the stage before it has done n, and the first
// stage once the last has done the chunk that was in its place.
class Pipeline {
 public:
  explicit Pipeline(std::vector<Stage> stages)
      : stages_{std::move(stages)}, done_(stages_.size(), 0) {}

  Status run() {
    {
      std::vector<std::jthread> others;
      others.reserve(stages_.size());
      try {
        for (std::size_t i = 0; i + 1 < stages_.size(); ++i)
          others.emplace_back([this, i] { run_stages(i, i); });
      } catch (const std::exception&) {  // no more threads: this one does what is left
      }
      run_stages(others.size(), stages_.size() - 1);
    }
    if (thrown_) std::rethrow_exception(thrown_);
    return error_;
  }

 private:
  static constexpr std::size_t kChunks = 6;

  bool wait_for(std::size_t stage, std::uint64_t n) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] {
      return n >= end_ || (stage == 0 ? n < done_.back() + kChunks : n < done_[stage - 1]);
    });
    return n < end_;
  }

  // One stage after the other, chunk by chunk, on the thread that calls.
  void run_stages(std::size_t first, std::size_t last) {
    for (std::uint64_t n = 0; wait_for(first, n); ++n)
      for (std::size_t stage = first; stage <= last && run_stage(stage, n); ++stage) {
      }
  }

  bool run_stage(std::size_t stage, std::uint64_t n) {
    Result<bool> there = false;
    std::exception_ptr thrown;
    try {
      there = stages_[stage](chunks_[n % kChunks]);
    } catch (...) {  // memory ran out: main reports it
      thrown = std::current_exception();
    }
    const bool done = there && *there;
    const std::scoped_lock lock{mutex_};
    if (done)
      done_[stage] = n + 1;
    else
      end_at(n, there ? ok() : Status{there.error()}, thrown);
    changed_.notify_all();
    return done;
  }

  // A later stage is behind: its trouble with an earlier chunk comes first.
  void end_at(std::uint64_t n, Status status, std::exception_ptr thrown) {
    if (n >= end_) return;
    end_ = n;
    error_ = std::move(status);
    thrown_ = std::move(thrown);
  }

  std::vector<Stage> stages_;
  std::array<Chunk, kChunks> chunks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> done_;  // chunks, for each stage
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
  Status error_ = ok();
  std::exception_ptr thrown_;
};

Stage one_after_the_other(Stage first, std::function<Status(Chunk&)> second) {
  if (!second) return first;
  return [first = std::move(first), second = std::move(second)](Chunk& chunk) -> Result<bool> {
    const auto there = first(chunk);
    if (!there || !*there) return there;
    if (auto done = second(chunk); !done) return done.error();
    return true;
  };
}

Status run_alone(const Stage& stage) {
  Chunk chunk;
  for (;;) {
    const auto there = stage(chunk);
    if (!there) return there.error();
    if (!*there) return ok();
  }
}

}  // namespace

Status run_stages(const Stages& stages, std::uint32_t threads) {
  if (threads <= 1)
    return run_alone(
        one_after_the_other(one_after_the_other(stages.fill, stages.decide), stages.print));
  const Stage pass = [](Chunk&) -> Result<bool> { return true; };
  const Stage decide = one_after_the_other(pass, stages.decide);
  if (threads == 2 || !stages.print)
    return Pipeline{{stages.fill, one_after_the_other(decide, stages.print)}}.run();
  return Pipeline{{stages.fill, decide, one_after_the_other(pass, stages.print)}}.run();
}

}  // namespace bloomery::cli
