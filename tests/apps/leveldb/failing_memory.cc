#include "tests/apps/leveldb/failing_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t allowed = SIZE_MAX;

}  // namespace

void* operator new(std::size_t size) {
  if (allowed == 0) throw std::bad_alloc{};
  if (allowed != SIZE_MAX) --allowed;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace bloomery::testing {

FailingMemory::FailingMemory(std::size_t allowed_calls) { allowed = allowed_calls; }
FailingMemory::~FailingMemory() { allowed = SIZE_MAX; }

}  // namespace bloomery::testing
