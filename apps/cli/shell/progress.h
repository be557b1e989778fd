// A progress bar on stderr.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "apps/cli/shell/globals.h"

namespace bloomery::cli {

struct ProgressState {
  std::uint64_t records = 0;
  std::string_view unit = "records";
  double seconds = 0;
  std::uint64_t bytes_done = 0;
  std::optional<std::uint64_t> bytes_total = {};  // unknown for a pipe
};

// "12.3 M records  2.10 M/s  [=====     ]  45 %  3.00 s left"; without a total, only the first two.
std::string progress_line(const ProgressState& state);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(const Globals& globals, std::optional<std::uint64_t> bytes_total,
           std::string_view unit = "records");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  // Cheap: draws at most ten times a second, and not in the first second unless the user
  // wants the bar always.
  void update(std::uint64_t records, std::uint64_t bytes_done);
  void finish();  // wipes the bar, so that what follows starts on a clean line
  double seconds() const;
  bool quiet() const { return quiet_; }  // -q: then nothing else is said either

 private:
  bool quiet_;
  bool enabled_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
  bool drawn_ = false;
  ProgressState state_;
};

}  // namespace bloomery::cli
