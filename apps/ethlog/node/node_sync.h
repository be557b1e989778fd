// Makes a stored chain equal to a node's: missing blocks are fetched, and a branch that the node
// left is displaced from the last common block on, however deep that is.
#pragma once
#include "apps/ethlog/node/block_stream.h"
#include "apps/ethlog/store/block_check.h"

namespace bloomery::ethlog {

// Where the blocks go.
struct SyncTarget {
  const ChainReader& reader;
  // Numbers between the lowest and the head that are missing.
  std::function<std::uint64_t()> gaps;
  std::function<Status(ImportedBlock block, Gaps gaps)> add;
  std::function<Status(const Finality& finality)> set_finality;
};

struct SyncRange {
  std::optional<std::uint64_t> from;  // nothing: the lowest stored block, or 0
  std::optional<std::uint64_t> to;    // nothing: the newest block, also those that come meanwhile
};

struct SyncReport {
  std::uint64_t reorganisations = 0;
  std::uint64_t newest = 0;             // the node's newest block
  std::optional<std::uint64_t> behind;  // the node's newest block, which is below the stored head
};

class NodeSync {
 public:
  // The fetcher must outlive it.
  explicit NodeSync(BlockFetcher& fetcher) : fetcher_{fetcher} {}

  // Called with the number of blocks that are missing, before the first is fetched and whenever
  // more are found.
  using OnPlan = std::function<void(std::uint64_t missing)>;
  // Ends when nothing is missing. Can be stopped or killed at any moment and started again.
  NodeResult<SyncReport> run(const SyncTarget& target, const SyncRange& range,
                             const std::stop_token& stop, const OnPlan& on_plan = {});

 private:
  struct Plan {
    std::vector<BlockRange> missing;  // the lowest first; the newest blocks are fetched first
    bool displaces = false;           // the first begins behind the last common block
  };
  enum class Step : std::uint8_t { kDone, kChanged };
  NodeResult<Plan> plan(const SyncTarget& target, const SyncRange& range, const NodeHead& head,
                        const std::stop_token& stop);
  NodeResult<std::optional<std::uint64_t>> first_foreign(const SyncTarget& target,
                                                         const NodeHead& head,
                                                         const std::stop_token& stop);
  NodeResult<bool> is_common(const SyncTarget& target, std::uint64_t number,
                             const std::stop_token& stop);
  // The highest stored block below `foreign` that is on the node's chain.
  NodeResult<std::optional<std::uint64_t>> last_common(const SyncTarget& target,
                                                       std::uint64_t lowest, std::uint64_t foreign,
                                                       const std::stop_token& stop);
  NodeResult<Step> fill(const SyncTarget& target, BlockRange range, bool displaces,
                        const std::stop_token& stop);
  NodeStatus note_finality(const SyncTarget& target, const NodeHead& head) const;

  BlockFetcher& fetcher_;
};

}  // namespace bloomery::ethlog
