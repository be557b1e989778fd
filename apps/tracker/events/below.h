// The subtrees that a cycle flags as a whole, kept few: where many lie in one folder, the folder is
// flagged instead. A cycle with too many of them would become "everything".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::tracker {

class WatchBelow {
 public:
  // At most this many are flagged at a time; leaves room in a cycle for what others flag.
  static constexpr std::size_t kMost = 512;
  explicit WatchBelow(std::size_t most = kMost) : most_{most} {}

  // Adds a clean path; returns what is to be flagged now: nothing if it was covered already, it,
  // or folders that cover it and others. "" stands for the whole tree.
  std::vector<std::string> add(std::string_view clean);
  void clear() { paths_.clear(); }
  std::size_t size() const { return paths_.size(); }

 private:
  std::vector<std::string> coarser();

  std::size_t most_;
  std::vector<std::string> paths_;
};

}  // namespace bloomery::tracker
