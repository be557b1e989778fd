// The vectors of one bit: each section is fetched once however many ask, handed to all of them, and
// kept for the next session.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::ethlog {

// Safe for any number of threads.
class Scheduler {
 public:
  explicit Scheduler(std::uint32_t bit) : bit_{bit} {}

  std::uint32_t bit() const { return bit_; }
  // True if nobody had asked for the vector: then it is the caller's to have it fetched.
  bool ask(std::uint64_t section);
  // Waits for the vector, whatever order vectors come in; nothing if stopped before it came. The
  // view lives as long as the scheduler. Precondition: it was asked for.
  std::optional<ByteView> await(std::uint64_t section, const std::stop_token& stop);
  // Vectors nobody asked for, and second ones of a section, are ignored. Precondition: equal sizes.
  void deliver(std::span<const std::uint64_t> sections,
               std::vector<std::vector<std::byte>> vectors);
  // Forgets what was asked for and never came. Precondition: nobody waits.
  void reset();

 private:
  using Response = std::optional<std::vector<std::byte>>;  // empty until delivered

  const std::uint32_t bit_;
  std::mutex mutex_;
  std::condition_variable_any delivered_;
  std::unordered_map<std::uint64_t, Response> responses_;
};

}  // namespace bloomery::ethlog
