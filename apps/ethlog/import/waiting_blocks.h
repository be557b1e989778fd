// Blocks that came before their parents, up to a limit of memory: what puts the blocks of a source
// in order.
#pragma once
#include <map>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

class WaitingBlocks {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  explicit WaitingBlocks(std::size_t most_bytes = kMostBytes) : most_bytes_{most_bytes} {}

  // An error where no more fit. It names the lowest block that waits, and its parent.
  Status add(ImportedBlock block);
  // Those whose parent this is, and those of the number after it that do not say what theirs is.
  std::vector<ImportedBlock> take_children(std::uint64_t number, const Hash& hash);
  // The chain of those that lead to this block, whose parent is given, the lowest first.
  std::vector<ImportedBlock> take_ancestors(std::uint64_t number, const Hash& parent);
  bool empty() const { return blocks_.empty(); }
  std::size_t size() const { return blocks_.size(); }
  // Precondition: !empty().
  const ImportedBlock& lowest() const { return blocks_.begin()->second; }

 private:
  using Blocks = std::multimap<std::uint64_t, ImportedBlock>;
  ImportedBlock take(Blocks::iterator at);

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Blocks blocks_;
};

// What is said of a block whose parent did not come.
Error missing_parent(const ImportedBlock& block, std::string_view what_to_do);

}  // namespace bloomery::ethlog
