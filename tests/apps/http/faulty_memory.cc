#include "tests/apps/http/faulty_memory.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::int64_t kNever = INT64_MAX / 2;

thread_local bool is_sure = false;
std::atomic<std::int64_t> first_failure = kNever;  // counted down by every call
std::atomic<std::int64_t> last_failure = 0;
std::atomic<std::size_t> injected_faults = 0;

void may_fail() {
  if (is_sure || first_failure.load(std::memory_order_relaxed) == kNever) return;
  const std::int64_t left = first_failure.fetch_sub(1);
  if (left > 0 || left <= -last_failure.load()) return;
  ++injected_faults;
  throw std::bad_alloc{};
}

}  // namespace

void* operator new(std::size_t size) {
  may_fail();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  may_fail();
  void* memory = nullptr;
  if (::posix_memalign(&memory, static_cast<std::size_t>(alignment), size == 0 ? 1 : size) != 0)
    throw std::bad_alloc{};
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace bloomery::testing {

SureMemory::SureMemory() { is_sure = true; }
SureMemory::~SureMemory() { is_sure = false; }

FaultyMemory::FaultyMemory(std::size_t allowed, std::size_t failures) {
  last_failure = static_cast<std::int64_t>(failures);
  first_failure = static_cast<std::int64_t>(allowed);
}
FaultyMemory::~FaultyMemory() { first_failure = kNever; }
std::size_t FaultyMemory::injected() { return injected_faults; }

}  // namespace bloomery::testing
