// Blocks of a node in order, fetched ahead by several threads.
#pragma once
#include <condition_variable>
#include <map>
#include <thread>

#include "apps/ethlog/node/block_fetcher.h"

namespace bloomery::ethlog {

class BlockStream {
 public:
  // The fetcher must outlive it.
  BlockStream(BlockFetcher& fetcher, BlockRange range);
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;
  ~BlockStream();  // ends what is under way

  // Nothing after the last. A failure ends the stream. Blocks of one fetch follow from each other;
  // whether a block follows from the one before it is left to the caller.
  NodeResult<std::optional<ImportedBlock>> next(const std::stop_token& stop);

 private:
  using Blocks = NodeResult<std::vector<ImportedBlock>>;
  void work(const std::stop_token& stop);
  std::optional<BlockRange> take_range(const std::stop_token& stop);
  Blocks fetch(BlockRange range, const std::stop_token& stop);
  NodeStatus load(const std::stop_token& stop);

  BlockFetcher& fetcher_;
  std::uint64_t last_;
  std::uint64_t wanted_;                // the first block of the next fetch that is handed out
  std::vector<ImportedBlock> current_;  // the last one first
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::uint64_t> to_fetch_;    // the first block that no thread has taken
  std::map<std::uint64_t, Blocks> fetched_;  // by the first block
  std::size_t ahead_ = 0;                    // fetches that are under way or wait to be handed out
  std::size_t most_ahead_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace bloomery::ethlog
