// The vectors of an index that searches wait for or used lately: each is fetched once, however many
// searches ask for it, and handed to all of them.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "apps/ethlog/index/bloombits/section_id.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// A vector as a fetch returns it.
struct FetchedVector {
  std::vector<std::byte> bits;     // uncompressed
  std::uint64_t stored_bytes = 0;  // that were read for it
};

// Safe for any number of threads.
class Scheduler {
 public:
  // A vector under way, or fetched; it lives as long as a search holds it.
  class Vector {
   public:
    // Whether it came, or its fetch failed.
    bool is_ready() const { return ready_.load(std::memory_order_acquire); }
    // Precondition: is_ready().
    const Result<FetchedVector>& outcome() const { return *outcome_; }

   private:
    friend class Scheduler;
    std::optional<Result<FetchedVector>> outcome_;  // written once, before ready_
    std::atomic<bool> ready_ = false;
  };
  using Handle = std::shared_ptr<const Vector>;
  struct Asked {
    Handle vector;
    bool fresh = false;  // true: no search had asked, and the caller must have it fetched
  };

  // Vectors that no search holds are kept up to so many bytes, the least recently asked for last.
  explicit Scheduler(std::size_t kept_bytes) : kept_bytes_{kept_bytes} {}

  Asked ask(std::uint32_t bit, const SectionId& section);
  // Waits until the vector is ready; false if stopped before.
  bool await(const Handle& vector, const std::stop_token& stop);
  // Whether a search still waits for the vector. If none does, it is forgotten.
  bool is_wanted(std::uint32_t bit, const SectionId& section);
  // Hands the outcome to every search that waits. An error is not kept: the next search that asks
  // has the vector fetched again. A vector that no search asked for is ignored.
  void deliver(std::uint32_t bit, const SectionId& section, Result<FetchedVector> outcome);

  // Bytes of all vectors that are fetched and neither released nor dropped.
  std::size_t bytes() const;

 private:
  struct Key {
    SectionId section;
    std::uint32_t bit;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    std::shared_ptr<Vector> vector;
    std::list<Key>::iterator use;
  };
  void drop_unused();
  std::condition_variable_any& condition_of(const Vector* vector);

  const std::size_t kept_bytes_;
  mutable std::mutex mutex_;
  // Waiting searches, spread so that a delivery wakes few that wait for something else.
  std::array<std::condition_variable_any, 16> delivered_;
  std::map<Key, Entry> vectors_;
  std::list<Key> uses_;  // the least recently asked for first
  std::size_t bytes_ = 0;
};

}  // namespace bloomery::ethlog
