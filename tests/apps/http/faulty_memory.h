// This program's operator new, which fails on demand: on every thread but those that say they are
// clients, once or several times in a row.
#pragma once
#include <cstddef>

namespace bloomery::testing {

// While it lives, this thread's memory never fails.
class SureMemory {
 public:
  SureMemory();
  ~SureMemory();
  SureMemory(const SureMemory&) = delete;
  SureMemory& operator=(const SureMemory&) = delete;
};

// While it lives, `failures` calls fail after `allowed` ones that do not.
class FaultyMemory {
 public:
  explicit FaultyMemory(std::size_t allowed, std::size_t failures = 1);
  ~FaultyMemory();
  FaultyMemory(const FaultyMemory&) = delete;
  FaultyMemory& operator=(const FaultyMemory&) = delete;
  static std::size_t injected();  // since the program began
};

}  // namespace bloomery::testing
