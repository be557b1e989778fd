// Numbers of all filters together, for INFO. Atomic, because a thread of the server frees values.
#pragma once
#include <atomic>

#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {

struct Statistics {
  std::atomic<std::uint64_t> filters = 0;
  std::atomic<std::uint64_t> bytes = 0;           // of bit arrays
  std::atomic<std::uint64_t> saturated = 0;       // filters that refuse new keys
  std::atomic<std::uint64_t> loading = 0;         // filters whose last chunk has not come
  std::atomic<std::uint64_t> unreadable = 0;      // values kept from a file that are no filters
  std::atomic<std::uint64_t> rejected_loads = 0;  // payloads and chunks that were no filter
};
extern Statistics statistics;

void add_info(InfoContext* info, int for_crash_report);

}  // namespace bloomery::redis_module
