// The system clock as records and protocols hold it.
#pragma once
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace bloomery::tracker {

// Seconds since 1970. The clock may jump in both directions.
inline std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// "2026-11-18 03:20:56 UTC"; "an unknown time" for one that no calendar has.
inline std::string utc_text(std::int64_t unix_seconds) {
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  char text[32];
  if (::gmtime_r(&seconds, &parts) == nullptr) return "an unknown time";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace bloomery::tracker
