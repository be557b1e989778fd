// The trees that were scanned with a state. Where no tree is watched, marks are relative to the
// folder that is scanned; the caches of its scans map absolute paths to them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::tracker {

struct ScannedTree {
  std::string root;  // absolute, without symbolic links
  std::string key;   // the clean path that the tracker knows it by
  friend bool operator==(const ScannedTree&, const ScannedTree&) = default;
};

// In the order of their roots. Caches that cannot be read are passed over: their trees are scanned
// as if for the first time. kIo where the state's folder cannot be listed.
Result<std::vector<ScannedTree>> scanned_trees(const std::filesystem::path& state);

// What a path is called where no tree is watched. A relative one has one key, from the root of the
// marks. An absolute one has a key for each tree that it lies in, by its name or by where symbolic
// links lead. kInvalidArgument for a path that would name something else than it says: an empty
// one, one whose ".." lead out, and an absolute one that lies in none of the trees.
Result<std::vector<std::string>> keys_of_path(std::string_view path,
                                              const std::vector<ScannedTree>& trees);

// Whether a clean path, or the folder above it, exists in one of the trees. What was removed was in
// a folder that mostly is still there.
bool exists_in_any(std::string_view key, const std::vector<ScannedTree>& trees);

}  // namespace bloomery::tracker
