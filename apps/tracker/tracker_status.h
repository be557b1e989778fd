// What a tracker says of itself, for people and --json.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/tracker/cycle.h"

namespace bloomery::tracker {

struct CycleStatus {
  CycleId id;
  std::int64_t started_unix = 0;  // 0 where the file does not say
  std::optional<std::uint64_t> keys = {};
  std::size_t layers = 1;
  std::size_t bytes = 0;
  Health health{};
  std::string everything = {};          // the reason, if everything may have changed
  std::vector<std::string> below = {};  // subtrees that may have changed as a whole
};

struct TrackerStatus {
  std::string mode;  // adaptive, minio, minio-exact
  double rate = 0;   // wanted
  std::uint64_t knows_from = 0;
  std::vector<CycleStatus> cycles = {};  // the current one first
  std::uint64_t marks = 0;               // since this session began
  std::uint64_t lost_marks = 0;          // that did not fit into the queue
  std::int64_t saved_unix = 0;
  bool dirty = false;
  bool session_open = false;
  bool watched = false;
  std::int64_t heartbeat_unix = 0;  // 0: none
  std::vector<std::string> roots = {};
  std::vector<std::string> drives = {};
  std::size_t copies = 0;                  // valid ones that were found, or written last
  std::vector<std::string> problems = {};  // copies that could not be read or written
};

}  // namespace bloomery::tracker
