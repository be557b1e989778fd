#include "apps/ethlog/node/block_stream.h"

#include <algorithm>
#include <system_error>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

BlockStream::BlockStream(BlockFetcher& fetcher, BlockRange range)
    : fetcher_{fetcher}, last_{range.last}, wanted_{range.first}, to_fetch_{range.first} {
  const std::uint64_t pieces = (range.last - range.first) / fetcher.blocks_at_a_time() + 1;
  const std::size_t jobs = std::max<std::size_t>(1, fetcher.client().options().jobs);
  const auto threads = static_cast<std::size_t>(std::min<std::uint64_t>(jobs, pieces));
  most_ahead_ = 2 * threads;
  if (threads == 1) return;  // the caller's own thread fetches
  try {
    for (std::size_t i = 0; i < threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {  // those that were started do the work
  }
}

BlockStream::~BlockStream() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

// Memory may run out in a thread: the failure is the caller's to see.
BlockStream::Blocks BlockStream::fetch(BlockRange range, const std::stop_token& stop) {
  try {
    return fetcher_.fetch(range, stop);
  } catch (const std::exception& thrown) {
    return NodeFailure{NodeTrouble::kPassing, message("interrupted: ", thrown.what())};
  }
}

std::optional<BlockRange> BlockStream::take_range(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  if (!changed_.wait(lock, stop, [&] { return !to_fetch_ || ahead_ < most_ahead_; }) || !to_fetch_)
    return std::nullopt;
  const std::uint64_t first = *to_fetch_;
  const std::uint64_t count =
      std::min<std::uint64_t>(fetcher_.blocks_at_a_time(), last_ - first + 1);
  to_fetch_ = first + count - 1 == last_ ? std::nullopt : std::optional{first + count};
  ahead_ += 1;
  return BlockRange{first, first + count - 1};
}

void BlockStream::work(const std::stop_token& stop) {
  while (const auto range = take_range(stop)) {
    auto blocks = fetch(*range, stop);
    const bool failed = !blocks;
    const std::lock_guard lock{mutex_};
    fetched_.emplace(range->first, std::move(blocks));
    if (failed) to_fetch_.reset();
    changed_.notify_all();
    if (failed) return;
  }
}

NodeStatus BlockStream::load(const std::stop_token& stop) {
  Blocks blocks = stopped_failure();
  if (threads_.empty()) {
    const std::uint64_t count =
        std::min<std::uint64_t>(fetcher_.blocks_at_a_time(), last_ - wanted_ + 1);
    blocks = fetch({wanted_, wanted_ + count - 1}, stop);
  } else {
    std::unique_lock lock{mutex_};
    if (!changed_.wait(lock, stop, [&] { return fetched_.contains(wanted_); }))
      return stopped_failure();
    blocks = std::move(fetched_.extract(wanted_).mapped());
    ahead_ -= 1;
    changed_.notify_all();
  }
  if (!blocks) return blocks.failure();
  wanted_ += blocks->size();
  current_ = std::move(*blocks);
  std::ranges::reverse(current_);
  return std::monostate{};
}

NodeResult<std::optional<ImportedBlock>> BlockStream::next(const std::stop_token& stop) {
  if (current_.empty()) {
    if (wanted_ > last_) return std::optional<ImportedBlock>{};
    if (const NodeStatus loaded = load(stop); !loaded) return loaded.failure();
  }
  std::optional<ImportedBlock> block{std::move(current_.back())};
  current_.pop_back();
  return block;
}

}  // namespace bloomery::ethlog
