// One search under way: its threads, its queues, and the candidate blocks that come out of them.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "apps/ethlog/index/bloombits/bounded_queue.h"
#include "apps/ethlog/index/bloombits/distributor.h"
#include "apps/ethlog/index/bloombits/scheduler.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

struct VectorRequest {
  std::uint32_t bit;
  std::span<const std::uint64_t> sections;  // ascending
  std::stop_token stop;                     // of the session: nobody wants the answer any more
};
// One uncompressed vector per section, in their order. An empty one is missing and will be asked
// for again. An error ends the session. Called by several threads at once.
using FetchVectors =
    std::function<Result<std::vector<std::vector<std::byte>>>(const VectorRequest& request)>;

struct MatcherOptions {
  std::size_t queued_sections = 64;  // in each queue: how far fetching may run ahead
  std::size_t fetch_threads = 3;
  std::size_t batch_sections = 16;         // most sections of one request
  std::chrono::nanoseconds batch_wait{0};  // how long a smaller batch waits to be filled
};

// The schedulers of a clause's keys, three for each key.
using MatcherStage = std::vector<Scheduler*>;

// For one consumer. Closing, also by the destructor, stops and joins all threads.
class MatcherSession {
 public:
  MatcherSession(const MatcherSession&) = delete;
  MatcherSession& operator=(const MatcherSession&) = delete;
  ~MatcherSession() { close(); }

  // The next candidate, ascending; nothing at the end of the range, after an error, or when
  // stopped.
  std::optional<std::uint64_t> next();
  // The same, a whole section's candidates at a time; never an empty list.
  std::optional<std::vector<std::uint64_t>> next_section();
  // Why there will be no more candidates, if not because the range is done or somebody stopped it.
  std::optional<Error> error() const;
  void close();

 private:
  friend class Matcher;
  struct Plan {
    std::uint64_t section_size;
    std::uint64_t begin;
    std::uint64_t end;
    MatcherOptions options;
  };
  struct Portion {  // a section on its way, with the blocks that all clauses so far left
    std::uint64_t section;
    std::vector<std::byte> bits;
  };
  using Portions = BoundedQueue<Portion>;

  MatcherSession(const Plan& plan, std::span<const MatcherStage> stages, FetchVectors fetch,
                 std::atomic<bool>& running);
  void run(std::stop_token outer);
  // A thread of the session; an exception in it, such as bad_alloc, ends the session.
  void spawn(void (MatcherSession::*work)(std::size_t), std::size_t argument);
  void fail(Error error);

  void emit_sections(std::size_t unused);
  void ask_for_vectors(std::size_t stage);
  void combine_vectors(std::size_t stage);
  void collect_blocks(std::size_t unused);
  void fetch_vectors(std::size_t unused);
  bool deliver(std::uint32_t bit, std::span<const std::uint64_t> sections,
               std::vector<std::vector<std::byte>> vectors);

  const Plan plan_;
  const std::span<const MatcherStage> stages_;
  const FetchVectors fetch_;
  std::atomic<bool>& running_;

  std::stop_source stop_;
  Distributor distributor_;
  std::map<std::uint32_t, Scheduler*> schedulers_;
  std::deque<Portions> entering_;  // before each stage, and one before the end
  std::deque<Portions> asked_;     // within each stage: the vectors are under way
  BoundedQueue<std::vector<std::uint64_t>> results_;

  std::vector<std::uint64_t> current_;  // what next() hands out
  std::size_t current_at_ = 0;

  mutable std::mutex error_mutex_;
  std::optional<Error> error_;
  std::vector<std::thread> threads_;
  bool closed_ = false;
  std::optional<std::stop_callback<std::function<void()>>> outer_stop_;
};

}  // namespace bloomery::ethlog
