#include "apps/tracker/events/marks.h"

#include <algorithm>
#include <array>

#include "apps/tracker/events/backend.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/seal.h"
#include "apps/tracker/state/state_files.h"

namespace bloomery::tracker {
namespace {

// save_file writes ".name.<number>" and renames it: the name that is meant, or none.
std::string_view saved_name(std::string_view name) {
  if (!name.starts_with('.')) return name;
  const std::size_t dot = name.rfind('.');
  const std::string_view number = name.substr(dot + 1);
  const bool is_temporary = dot > 1 && !number.empty() && std::ranges::all_of(number, [](char c) {
                              return c >= '0' && c <= '9';
                            });
  return is_temporary ? name.substr(1, dot - 1) : std::string_view{};
}

bool is_state_file(std::string_view name) {
  const std::string_view saved = saved_name(name);
  return saved == kStateFile || saved == kSealFile;
}

bool is_session_file(std::string_view name) {
  return name == kLockFile || name == kHeartbeatFile || name == kWatchSocket ||
         name == kMarkerFolder || name == kWebhookTokenFile ||
         (name.starts_with(kWebhookTokenFile) && name.ends_with(".new"));
}

// What a scan keeps beside the state.
bool is_scan_file(std::string_view name) {
  const std::string_view saved = saved_name(name);
  return saved == "usage.json" || (saved.starts_with("usage-") &&
                                   (saved.ends_with(".bloomery") || saved.ends_with(".json")));
}

std::string clean_of(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(folder, failed);
  return clean_path((failed ? std::filesystem::absolute(folder) : real).string());
}

}  // namespace

WatchMarks::WatchMarks(Tracker& tracker, const std::filesystem::path& folder,
                       const std::vector<std::string>& drives)
    : tracker_{tracker}, state_{clean_of(folder)} {
  for (const std::string& drive : drives) drives_.push_back(clean_of(drive));
}

bool WatchMarks::is_own(std::string_view path) const {
  if (path.empty()) return false;
  const std::string_view folder = parent_of(path);
  const std::string_view name = path.substr(folder.empty() ? 0 : folder.size() + 1);
  if (folder == state_) return is_state_file(name) || is_session_file(name) || is_scan_file(name);
  return std::ranges::any_of(drives_, [&](const auto& drive) { return folder == drive; }) &&
         is_state_file(name);
}

// A file that is being written is named again and again.
void WatchMarks::changed(std::string_view path) {
  if (path == last_ && last_counts_.load(std::memory_order_acquire)) return;
  if (is_own(path)) return;
  last_ = path;
  last_counts_.store(true, std::memory_order_release);
  changes_.fetch_add(1, std::memory_order_relaxed);
  (void)tracker_.mark(path);  // what does not fit becomes "everything" by itself
}

void WatchMarks::changed_below(std::string_view path) {
  if (is_own(path)) return;
  changes_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock{below_mutex_};
  const auto flagged = below_.add(path);
  for (const std::string& folder : flagged) (void)tracker_.mark_below(folder);
  // What is covered already changed again, and so did the folders above it.
  if (flagged.empty()) (void)tracker_.mark(path);
}

void WatchMarks::everything(std::string_view reason) { tracker_.mark_everything(reason); }

void WatchMarks::cycle_began() {
  last_counts_.store(false, std::memory_order_release);
  const std::lock_guard lock{below_mutex_};
  below_.clear();
}

}  // namespace bloomery::tracker
