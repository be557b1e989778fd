#include "apps/ethlog/node/block_fetcher.h"

#include <algorithm>

#include "apps/ethlog/json/rpc_json.h"
#include "apps/ethlog/store/block_check.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWrongAttempts = 6;  // of answers that contradict each other
constexpr std::size_t kMostBlocks = 256;
constexpr std::uint64_t kMostBlockNumber = std::uint64_t{1} << 62;
constexpr std::size_t kSmallAnswer = std::size_t{1} << 20;
constexpr std::size_t kLargeAnswer = std::size_t{8} << 20;
constexpr std::size_t kHugeResult = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kQuick{2'000};
constexpr std::chrono::milliseconds kSlow{15'000};

NodeFailure wrong(std::string why) {
  return {NodeTrouble::kWrong, std::move(why), ErrorCode::kMalformed};
}

RpcCall block_call(std::string_view name, bool whole) {
  return {"eth_getBlockByNumber", message("[\"", name, "\",", whole ? "true" : "false", "]")};
}

std::size_t bytes_in(const std::vector<CallOutcome>& outcomes) {
  std::size_t bytes = 0;
  for (const CallOutcome& outcome : outcomes) bytes += outcome ? outcome->size() : 0;
  return bytes;
}

NodeFailure of_block(std::uint64_t number, NodeFailure failure) {
  failure.why = message("block ", number, ": ", failure.why);
  return failure;
}

}  // namespace

NodeResult<std::uint64_t> BlockFetcher::chain_id(const std::stop_token& stop) {
  const auto json = client_.call({"eth_chainId", "[]"}, stop);
  if (!json) return json.failure();
  const auto id = quantity_in(*json);
  if (!id) return wrong(message("eth_chainId: ", id.error().message));
  return *id;
}

NodeResult<NodeHead> BlockFetcher::head(const std::stop_token& stop) {
  // Without transactions: only the ids are read.
  RpcCall calls[] = {block_call("latest", false), block_call("safe", false),
                     block_call("finalized", false)};
  calls[1].may_fail = calls[2].may_fail = true;  // a chain may have no such block
  const auto outcomes = client_.call(calls, stop);
  if (!outcomes) return outcomes.failure();
  const auto id_in = [&](std::size_t i) -> Result<std::optional<NodeBlockId>> {
    if (!(*outcomes)[i]) return std::optional<NodeBlockId>{};  // a chain without such a tag
    return block_id_in(*(*outcomes)[i]);
  };
  if (!(*outcomes)[0]) return (*outcomes)[0].failure();
  const auto latest = id_in(0);
  if (!latest) return wrong(message("its newest block: ", latest.error().message));
  if (!*latest) return wrong("the node has no newest block");
  if ((**latest).id.number > kMostBlockNumber)
    return wrong(message("its newest block has the number ", (**latest).id.number,
                         ", which no chain reaches"));
  NodeHead head{.latest = **latest, .safe = {}, .finalized = {}};
  for (const auto& [place, out] : {std::pair{std::size_t{1}, &head.safe}, {2, &head.finalized}}) {
    const auto id = id_in(place);
    if (!id)
      return wrong(
          message("its ", place == 1 ? "safe" : "finalized", " block: ", id.error().message));
    // A development node calls its newest block final, and takes it back nevertheless.
    if (*id && (**id).id.number < head.latest.id.number) *out = (**id).id;
  }
  return head;
}

NodeResult<std::optional<NodeBlockId>> BlockFetcher::block_id(std::uint64_t number,
                                                              const std::stop_token& stop) {
  const auto json = client_.call(block_call(to_quantity(number), false), stop);
  if (!json) return json.failure();
  auto id = block_id_in(*json);
  if (!id) return wrong(message("block ", number, ": ", id.error().message));
  if (*id && (**id).id.number != number)
    return wrong(
        message("block ", number, " was asked for, but the node gave block ", (**id).id.number));
  return *id;
}

NodeResult<std::vector<CallOutcome>> BlockFetcher::ask_for_blocks(BlockRange range,
                                                                  ReceiptSource receipts,
                                                                  bool whole,
                                                                  const std::stop_token& stop) {
  std::vector<RpcCall> calls;
  for (std::uint64_t number = range.first; number <= range.last; ++number) {
    const std::string name = to_quantity(number);
    calls.push_back(block_call(name, whole));
    if (receipts == ReceiptSource::kBlock)
      calls.push_back({"eth_getBlockReceipts", "[\"" + name + "\"]"});
  }
  return client_.call(calls, stop);
}

NodeResult<BlockFetcher::Blocks> BlockFetcher::fetch_once(BlockRange range,
                                                          const std::stop_token& stop) {
  const ReceiptSource receipts = receipts_;
  const bool whole = whole_;
  const auto begun = Clock::now();
  const auto outcomes = ask_for_blocks(range, receipts, whole, stop);
  if (!outcomes) return outcomes.failure();
  std::unique_lock lock{large_, std::defer_lock};
  if (std::ranges::any_of(*outcomes,
                          [](const auto& one) { return one && one->size() > kHugeResult; }))
    lock.lock();
  const std::size_t step = receipts == ReceiptSource::kBlock ? 2 : 1;
  Blocks blocks;
  for (std::size_t i = 0; i < outcomes->size(); i += step) {
    const std::uint64_t number = range.first + i / step;
    const CallOutcome& text = (*outcomes)[i];
    if (!text) {
      // A node may have only the hashes of transactions.
      if (!whole || text.failure().trouble != NodeTrouble::kRefused)
        return of_block(number, text.failure());
      whole_ = false;
      lock = {};
      return fetch_once(range, stop);
    }
    auto block = node_block_in(*text, number);
    if (!block) return wrong(block.error().message);
    if (!*block) return wrong(message("the node has no block ", number));
    if (step == 2) {
      const CallOutcome& list = (*outcomes)[i + 1];
      if (!list && list.failure().trouble == NodeTrouble::kNoMethod) {
        auto expected = ReceiptSource::kBlock;
        receipts_.compare_exchange_strong(expected, ReceiptSource::kTransaction);
        lock = {};
        return fetch_once(range, stop);
      }
      if (!list) return of_block(number, list.failure());
      if (const Status added = add_block_receipts(**block, *list); !added)
        return wrong(added.error().message);
    }
    blocks.push_back(std::move(**block));
  }
  if (receipts == ReceiptSource::kTransaction) {
    const NodeStatus added = add_by_transaction(blocks, stop);
    if (!added && added.failure().trouble == NodeTrouble::kNoMethod) {
      receipts_ = ReceiptSource::kLogs;
      lock = {};
      return fetch_once(range, stop);
    }
    if (!added) return added.failure();
  }
  if (receipts == ReceiptSource::kLogs)
    if (const NodeStatus added = add_by_logs(blocks, stop); !added) return added.failure();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0 && blocks[i].header.parent_hash != blocks[i - 1].header.hash)
      return wrong(message("block ", range.first + i, " does not follow from block ",
                           range.first + i - 1,
                           ": the chain changed, or nodes behind one address "
                           "differ"));
    if (const Status checked = check_block(blocks[i]); !checked)
      return wrong(checked.error().message);
    if (blocks[i].verified.header_hash) hashes_ = HeaderHashes::kProven;
  }
  if (hashes_ != HeaderHashes::kOther)
    for (const ImportedBlock& block : blocks)
      if (block.header_contradicts)
        return wrong(message("block ", block.header.number, ": its header does not hash to ",
                             block.header.hash.hex(), ": a member differs or is missing"));
  adapt(blocks.size(), bytes_in(*outcomes),
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun));
  return blocks;
}

NodeStatus BlockFetcher::add_by_transaction(Blocks& blocks, const std::stop_token& stop) {
  std::vector<RpcCall> calls;
  for (const ImportedBlock& block : blocks)
    for (const Hash& hash : block.transaction_hashes)
      calls.push_back({"eth_getTransactionReceipt", "[\"" + hash.hex() + "\"]"});
  auto outcomes = client_.call(calls, stop);
  if (!outcomes) return outcomes.failure();
  std::size_t next = 0;
  for (ImportedBlock& block : blocks) {
    std::vector<std::string> receipts;
    for (std::size_t i = 0; i < block.transaction_hashes.size(); ++i) {
      CallOutcome& outcome = (*outcomes)[next++];
      if (!outcome) return of_block(block.header.number, outcome.failure());
      receipts.push_back(std::move(*outcome));
    }
    if (const Status added = add_transaction_receipts(block, receipts); !added)
      return wrong(added.error().message);
  }
  return std::monostate{};
}

// In pieces that the node serves, the lowest first.
NodeStatus BlockFetcher::logs_of(BlockRange range, std::vector<std::string>& lists,
                                 const std::stop_token& stop) {
  while (range.first <= range.last) {
    const std::uint64_t last = std::min<std::uint64_t>(range.last, range.first + log_blocks_ - 1);
    const RpcCall call{"eth_getLogs", message("[{\"fromBlock\":\"", to_quantity(range.first),
                                              "\",\"toBlock\":\"", to_quantity(last), "\"}]")};
    auto logs = client_.call(call, stop);
    if (logs) {
      lists.push_back(std::move(*logs));
      range.first = last + 1;
      continue;
    }
    const NodeFailure& failure = logs.failure();
    if (failure.trouble != NodeTrouble::kTooLarge || last == range.first)
      return of_block(range.first, failure);
    const bool hinted =
        failure.hint && failure.hint->first == range.first && failure.hint->last < last;
    log_blocks_ = hinted ? failure.hint->last - range.first + 1 : (last - range.first + 1) / 2;
  }
  return std::monostate{};
}

NodeStatus BlockFetcher::add_by_logs(Blocks& blocks, const std::stop_token& stop) {
  std::vector<std::string> lists;
  const BlockRange range{blocks.front().header.number, blocks.back().header.number};
  if (NodeStatus got = logs_of(range, lists, stop); !got) return got;
  if (const Status added = add_logs(blocks, lists); !added) return wrong(added.error().message);
  return std::monostate{};
}

void BlockFetcher::adapt(std::size_t blocks, std::size_t bytes, std::chrono::milliseconds time) {
  if (bytes > kLargeAnswer || time > kSlow)
    blocks_ = std::max<std::size_t>(1, blocks / 2);
  else if (bytes < kSmallAnswer && time < kQuick && blocks >= blocks_)
    blocks_ = std::min(kMostBlocks, blocks * 2);
}

NodeResult<std::vector<ImportedBlock>> BlockFetcher::fetch(BlockRange range,
                                                           const std::stop_token& stop) {
  for (std::size_t attempt = 1;; ++attempt) {
    auto blocks = fetch_once(range, stop);
    if (blocks || blocks.failure().trouble != NodeTrouble::kWrong || attempt > kWrongAttempts)
      return blocks;
    if (attempt == kWrongAttempts) {
      // Where no header ever gave its hash, this may be a chain that hashes other things.
      auto unknown = HeaderHashes::kUnknown;
      if (!hashes_.compare_exchange_strong(unknown, HeaderHashes::kOther)) return blocks;
      continue;
    }
    const NodeOptions& options = client_.options();
    if (!wait_unless_stopped(back_off(attempt - 1, options.first_wait, options.longest_wait), stop))
      return stopped_failure();
  }
}

}  // namespace bloomery::ethlog
