// Memory that runs out on demand: this program's operator new fails from the n-th call on.
#pragma once
#include <cstddef>

namespace bloomery::testing {

class FailingMemory {
 public:
  explicit FailingMemory(std::size_t allowed_calls);  // of this thread, while it lives
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace bloomery::testing
