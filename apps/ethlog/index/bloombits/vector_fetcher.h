// The fetch threads of an index, shared by all searches over it. Its scheduler and its distributor
// see to it that a vector that several searches need at once is read once.
#pragma once
#include <functional>
#include <thread>

#include "apps/ethlog/index/bloombits/distributor.h"
#include "apps/ethlog/index/bloombits/scheduler.h"

namespace bloomery::ethlog {

// Reads one vector. An error, and an exception, reaches every search that waits for the vector.
// Called by several threads at once.
using FetchVector = std::function<Result<FetchedVector>(std::uint32_t bit, const SectionId&)>;

struct FetcherOptions {
  std::size_t most_threads = 16;
  std::size_t batch_sections = 8;                  // that a thread takes at a time
  std::size_t kept_bytes = std::size_t{32} << 20;  // of vectors that no search holds
};

// Safe for any number of threads. Its searches end before it does.
class VectorFetcher {
 public:
  // Precondition: batch_sections is not zero.
  explicit VectorFetcher(FetchVector fetch, const FetcherOptions& options = {});
  VectorFetcher(const VectorFetcher&) = delete;
  VectorFetcher& operator=(const VectorFetcher&) = delete;
  ~VectorFetcher();

  // Has at least so many threads, at most most_threads. kTooLarge if there is none at all: the
  // system may refuse them. With fewer than wanted, those that run fetch everything.
  Status start_threads(std::size_t wanted);

  // The vector, under way or there. Precondition: a thread was started.
  Scheduler::Asked ask(std::uint32_t bit, const SectionId& section);
  // See Scheduler::await.
  bool await(const Scheduler::Handle& vector, const std::stop_token& stop) {
    return scheduler_.await(vector, stop);
  }
  std::size_t bytes() const { return scheduler_.bytes(); }
  std::size_t threads() const;

 private:
  void fetch_vectors();
  Result<FetchedVector> fetched(std::uint32_t bit, const SectionId& section) const;

  const FetchVector fetch_;
  const FetcherOptions options_;
  Scheduler scheduler_;
  Distributor distributor_;
  std::stop_source stop_;
  mutable std::mutex threads_mutex_;
  std::vector<std::jthread> threads_;  // the last member: they end before the others do
};

}  // namespace bloomery::ethlog
