#include "apps/ethlog/import/waiting_blocks.h"

#include <algorithm>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// About the memory that a block takes.
std::size_t bytes_in(const ImportedBlock& block) {
  std::size_t bytes = sizeof block + block.header.rlp.size() + block.header_json.size() +
                      block.body_rlp.size() + block.transaction_hashes.size() * Hash::kSize;
  for (const std::string& one : block.transaction_json) bytes += sizeof one + one.size();
  for (const Receipt& receipt : block.receipts) {
    bytes += sizeof receipt + receipt.extra_json.size();
    for (const Log& log : receipt.logs) bytes += sizeof log + log.data.size();
  }
  return bytes;
}

}  // namespace

Error missing_parent(const ImportedBlock& block, std::string_view what_to_do) {
  const Header& header = block.header;
  const std::string parent = header.parent_hash ? " (" + header.parent_hash->hex() + ")" : "";
  return {ErrorCode::kMalformed,
          message("block ", header.number, ": its parent, block ", header.number - 1, parent,
                  ", is neither in the store nor in what was read; ", what_to_do)};
}

Status WaitingBlocks::add(ImportedBlock block) {
  bytes_ += bytes_in(block);
  blocks_.emplace(block.header.number, std::move(block));
  if (bytes_ <= most_bytes_) return ok();
  return missing_parent(
      lowest(), message("more blocks wait for theirs than fit into ", most_bytes_ >> 20,
                        " MiB: give the file with the lowest blocks first, and sort the lines of a "
                        "file by the number of the block"));
}

ImportedBlock WaitingBlocks::take(Blocks::iterator at) {
  ImportedBlock block = std::move(at->second);
  blocks_.erase(at);
  bytes_ -= bytes_in(block);
  return block;
}

std::vector<ImportedBlock> WaitingBlocks::take_children(std::uint64_t number, const Hash& hash) {
  std::vector<ImportedBlock> children;
  auto [at, end] = blocks_.equal_range(number + 1);
  while (at != end) {
    const auto next = std::next(at);
    if (at->second.header.parent_hash.value_or(hash) == hash) children.push_back(take(at));
    at = next;
  }
  return children;
}

std::vector<ImportedBlock> WaitingBlocks::take_ancestors(std::uint64_t number, const Hash& parent) {
  std::vector<ImportedBlock> chain;
  std::optional<Hash> wanted = parent;
  while (number > 0 && wanted) {
    --number;
    const auto [first, end] = blocks_.equal_range(number);
    const auto found = std::find_if(
        first, end, [&](const auto& one) { return one.second.header.hash == *wanted; });
    if (found == end) break;
    chain.push_back(take(found));
    wanted = chain.back().header.parent_hash;
  }
  std::ranges::reverse(chain);
  return chain;
}

}  // namespace bloomery::ethlog
