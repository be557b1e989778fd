// Paths as callers give them to `track mark` and `track query`, and their names in the tracker.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/tracker/scan/scanned_trees.h"

namespace bloomery::cli {

class PathNames {
 public:
  // `roots`: what is watched; none: marks are relative to the folders that are scanned, which the
  // state names.
  PathNames(std::vector<std::string> roots, std::string state, bool is_quiet)
      : roots_{std::move(roots)}, state_{std::move(state)}, is_quiet_{is_quiet} {}

  // The tracker's keys, at least one. More where a path has more than one reading: whichever is
  // meant, its change must not be missed.
  Result<std::vector<std::string>> keys(std::string_view path);
  // Of a line of a list. A CR at its end, and a byte order mark before the first line, may be part
  // of the path or of the text: both readings count, and the first such line is warned of.
  Result<std::vector<std::string>> keys_of_line(std::string_view line, bool is_first);
  // False where none of the keys of a path, nor the folder above, exists in the trees that were
  // scanned: the path is probably not relative to their roots. True where no tree is known.
  bool may_exist(std::span<const std::string> keys);

 private:
  void warn_of_marks();
  Status find_trees();

  const std::vector<std::string> roots_;
  const std::string state_;
  const bool is_quiet_;
  bool is_warned_ = false;
  std::optional<std::vector<tracker::ScannedTree>> trees_;  // read when they are needed
};

}  // namespace bloomery::cli
