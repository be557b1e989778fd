#include "apps/cli/shell/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr auto kPatience = std::chrono::seconds{1};
constexpr auto kBetweenDraws = std::chrono::milliseconds{100};

bool wanted(const Globals& globals) {
  if (globals.progress == When::kAlways) return true;
  return globals.progress == When::kAuto && !globals.quiet && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

std::string progress_line(const ProgressState& state) {
  const double per_second =
      state.seconds > 0 ? static_cast<double>(state.records) / state.seconds : 0;
  std::string line =
      message(format_count(state.records), " ", state.unit, "  ", format_speed(per_second));
  if (!state.bytes_total || *state.bytes_total == 0) return line;
  const double share = std::min(
      1.0, static_cast<double>(state.bytes_done) / static_cast<double>(*state.bytes_total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  line += message("  [", std::string(filled, '='), std::string(kBarWidth - filled, ' '), "]  ",
                  std::lround(share * 100), " %");
  if (share > 0)
    line += message("  ", format_seconds(state.seconds * (1 - share) / share), " left");
  return line;
}

Progress::Progress(const Globals& globals, std::optional<std::uint64_t> bytes_total,
                   std::string_view unit)
    : quiet_{globals.quiet},
      enabled_{wanted(globals)},
      next_draw_{globals.progress == When::kAlways ? start_ : start_ + kPatience} {
  state_.bytes_total = bytes_total;
  state_.unit = unit;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(std::uint64_t records, std::uint64_t bytes_done) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetweenDraws;
  state_.records = records;
  state_.bytes_done = bytes_done;
  state_.seconds = std::chrono::duration<double>(now - start_).count();
  std::cerr << "\r\x1b[K" << progress_line(state_) << std::flush;
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace bloomery::cli
