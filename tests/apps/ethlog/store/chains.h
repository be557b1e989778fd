// Chains for the tests of the store, the index and the search: geth's sample chain, and made ones.
#pragma once
#include <gtest/gtest.h>

#include <map>

#include "apps/ethlog/kv/kv_memory.h"
#include "apps/ethlog/store/chain_store.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {

using LogsOfReceipts = std::vector<std::vector<Log>>;

// A block that passes every check. Blocks with another salt have other transactions and hashes.
inline ImportedBlock made_block(std::uint64_t number, const Hash& parent,
                                const LogsOfReceipts& logs, std::uint64_t salt = 0) {
  RlpWriter body;
  body.begin_list();
  body.begin_list();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    body.begin_list();
    body.number(number);
    body.number(salt);
    body.number(i);
    body.end_list();
  }
  body.end_list();
  body.begin_list();
  body.end_list();
  body.end_list();
  ImportedBlock block;
  block.body_rlp = body.take();
  for (const std::vector<Log>& of_receipt : logs) {
    Receipt& receipt = block.receipts.emplace_back();
    receipt.succeeded = true;
    receipt.cumulative_gas_used = 21'000 * block.receipts.size();
    receipt.logs = of_receipt;
  }
  block.has_receipts = true;
  block.header =
      *decode_header(header_rlp(number, parent, *decode_body(block.body_rlp), block.receipts));
  return block;
}

// `count` blocks from `first` on, above `parent`, each with one log that tells number and salt.
inline std::vector<ImportedBlock> made_chain(std::uint64_t first, std::size_t count, Hash parent,
                                             std::uint64_t salt = 0) {
  std::vector<ImportedBlock> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    Log log;
    log.address.bytes.fill(static_cast<std::byte>((first + i) % 7));
    log.topics.push_back(filled_hash(static_cast<unsigned>(100 + salt)));
    log.topics.push_back(filled_hash(static_cast<unsigned>((first + i) % 16)));
    blocks.push_back(made_block(first + i, parent, {{log}}, salt));
    parent = blocks.back().header.hash;
  }
  return blocks;
}

inline const std::vector<ImportedBlock>& golden_chain() {
  static const std::vector<ImportedBlock> chain = [] {
    std::string text;
    for (const std::string& line : golden_lines("chain_blocks.jsonl")) text += line + "\n";
    JsonlReader reader{lines_in(std::move(text))};
    return all_blocks(reader);
  }();
  return chain;
}

inline BlockSource blocks_of(std::vector<ImportedBlock> blocks) {
  auto all = std::make_shared<std::vector<ImportedBlock>>(std::move(blocks));
  return [all, at = std::size_t{0}]() mutable -> Result<std::optional<ImportedBlock>> {
    if (at == all->size()) return std::optional<ImportedBlock>{};
    return std::optional{(*all)[at++]};
  };
}

inline ChainStore store_in_memory() {
  auto store = ChainStore::over(std::make_unique<MemoryStore>());
  EXPECT_TRUE(store);
  return std::move(*store);
}

inline void add_all(ChainStore& store, const std::vector<ImportedBlock>& blocks,
                    Gaps gaps = Gaps::kRefused) {
  for (const ImportedBlock& block : blocks) {
    const auto change = store.add(block, gaps);
    ASSERT_TRUE(change) << change.error().message;
  }
}

inline std::string error_of(const Result<ChainChange>& result) {
  return result ? "no error" : result.error().message;
}

inline std::map<std::string, std::string> bytes_of_folder(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.is_directory()) continue;
    std::ifstream file{entry.path(), std::ios::binary};
    files[entry.path().string()] = {std::istreambuf_iterator<char>{file}, {}};
  }
  return files;
}

}  // namespace bloomery::ethlog
