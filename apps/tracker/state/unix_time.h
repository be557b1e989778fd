// The system clock as records and protocols hold it.
#pragma once
#include <chrono>
#include <cstdint>

namespace bloomery::tracker {

// Seconds since 1970. The clock may jump in both directions.
inline std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace bloomery::tracker
