#include "apps/cli/records/stages.h"

#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace bloomery::cli {
namespace {

Status own_failure(const Chunk& chunk) { return chunk.failed ? Status{*chunk.failed} : ok(); }

struct Step {
  ChunkStep run;
  bool in_order;
};

std::vector<Step> steps_of(const Stages& stages) {
  std::vector<Step> steps;
  const auto add = [&steps](const ChunkStep& step, bool in_order) {
    if (step) steps.push_back({step, in_order});
  };
  add(stages.prepare, false);
  for (const ChunkStep& range : stages.ranges) add(range, true);
  add(stages.decide, true);
  add(stages.arrange, false);
  // In one turn: the next chunk must not be printed behind a record that failed.
  add(
      [&stages](Chunk& chunk) {
        const Status printed = stages.print ? stages.print(chunk) : ok();
        return printed ? own_failure(chunk) : printed;
      },
      true);
  return steps;
}

Status run_alone(const Stages& stages) {
  const std::vector<Step> steps = steps_of(stages);
  Chunk chunk;
  for (;;) {
    chunk.failed.reset();
    const auto there = stages.fill(chunk);
    if (!there) return there.error();
    if (!*there) return ok();
    for (const Step& step : steps)
      if (auto done = step.run(chunk); !done) return done;
  }
}

// Every chunk that was filled passes all steps, as a no-op behind the first error: so each turn
// comes, and no thread waits for ever.
class Workers {
 public:
  explicit Workers(const Stages& stages)
      : stages_{stages}, steps_{steps_of(stages)}, turns_(steps_.size()) {}

  Status run(std::uint32_t threads) {
    {
      std::vector<std::jthread> others;
      others.reserve(threads - 1);
      try {
        for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
      } catch (const std::exception&) {  // no more threads: those that run do all of it
      }
      work();
    }
    if (thrown_) std::rethrow_exception(thrown_);
    return error_;
  }

 private:
  using Number = std::uint64_t;  // of a chunk, in input order

  // A cache line each: a thread that waits for one turn does not slow down another.
  struct alignas(64) Turn {
    std::atomic<Number> next = 0;
  };

  void work() {
    Chunk chunk;
    while (const auto number = fill(chunk))
      for (std::size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].in_order)
          in_turn(i, *number, chunk);
        else
          guarded(*number, [&] { return steps_[i].run(chunk); });
  }

  std::optional<Number> fill(Chunk& chunk) {
    const std::scoped_lock lock{filling_};
    const Number number = filled_;
    if (number >= end_.load(std::memory_order_acquire)) return std::nullopt;
    bool there = false;
    guarded(number, [&]() -> Status {
      chunk.failed.reset();
      const auto filled = stages_.fill(chunk);
      if (!filled) return filled.error();
      there = *filled;
      if (!there) end_at(number, ok(), nullptr);
      return ok();
    });
    if (!there) return std::nullopt;
    return filled_++;
  }

  void in_turn(std::size_t step, Number number, Chunk& chunk) {
    std::atomic<Number>& next = turns_[step].next;
    for (Number now = next.load(std::memory_order_acquire); now != number;
         now = next.load(std::memory_order_acquire))
      next.wait(now, std::memory_order_acquire);
    guarded(number, [&] { return steps_[step].run(chunk); });
    next.store(number + 1, std::memory_order_release);
    next.notify_all();
  }

  template <class Work>
  void guarded(Number number, Work work) {
    if (number >= end_.load(std::memory_order_acquire)) return;
    try {
      if (auto done = work(); !done) end_at(number, std::move(done), nullptr);
    } catch (...) {  // memory ran out: main reports it
      end_at(number, ok(), std::current_exception());
    }
  }

  // Trouble with an earlier chunk comes first.
  void end_at(Number number, Status status, std::exception_ptr thrown) {
    const std::scoped_lock lock{ending_};
    if (number >= end_.load(std::memory_order_relaxed)) return;
    end_.store(number, std::memory_order_release);
    error_ = std::move(status);
    thrown_ = std::move(thrown);
  }

  const Stages& stages_;
  std::vector<Step> steps_;
  std::vector<Turn> turns_;
  std::mutex filling_;
  Number filled_ = 0;
  std::mutex ending_;
  std::atomic<Number> end_ = std::numeric_limits<Number>::max();
  Status error_ = ok();
  std::exception_ptr thrown_;
};

}  // namespace

Status run_stages(const Stages& stages, std::uint32_t threads) {
  if (threads <= 1) return run_alone(stages);
  return Workers{stages}.run(threads);
}

}  // namespace bloomery::cli
