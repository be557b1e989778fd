// Chain folders to be damaged, and what is asked of them.
#pragma once
#include <algorithm>
#include <fstream>

#include "apps/ethlog/check/status.h"
#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/model/log_match.h"
#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/message.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {

// ---- answers

inline std::vector<LogQuery> questions(const std::vector<ImportedBlock>& chain) {
  std::vector<LogQuery> all(1);
  for (const ImportedBlock& block : chain)
    for (const Receipt& receipt : block.receipts)
      for (const Log& log : receipt.logs)
        if (all.size() < 4 && block.header.number % 5 == 3) {
          LogQuery query;
          if (all.size() % 2 == 1) query.addresses = {log.address};
          if (!log.topics.empty()) query.topics = {{log.topics[0]}};
          all.push_back(query);
        }
  for (LogQuery& query : all) {
    query.from = BlockBound{BlockTag::kEarliest, 0};
    query.to = BlockBound{BlockTag::kLatest, 0};
  }
  return all;
}

// A line that identifies a log.
inline void append_line(std::string& out, const FoundLog& found) {
  out += message(found.block.header.number, ' ', found.transaction, ' ', found.log_index, ' ',
                 found.log.address.hex().substr(0, 10));
  for (const Topic& topic : found.log.topics) out += ' ' + topic.hex().substr(0, 10);
  out += message(' ', found.log.data.size(), '\n');
}

// By looking at every log. `past` is the first block that is not asked for.
inline std::string brute_force(const std::vector<ImportedBlock>& chain, const LogQuery& query,
                               std::uint64_t past) {
  const SortedQuery sorted{query};
  std::string out;
  for (const ImportedBlock& block : chain) {
    if (block.header.number >= past) break;
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < block.receipts.size(); ++i)
      for (const Log& log : block.receipts[i].logs) {
        if (matches(sorted, log)) append_line(out, {block, i, index, log});
        ++index;
      }
  }
  return out;
}

inline Result<std::string> searched(const ChainReader& reader, const LogQuery& query,
                                    bool by_index) {
  std::vector<CandidateSource> sources;
  if (by_index) {
    auto found = sources_of(reader);
    if (!found) return found.error();
    sources = std::move(*found);
  }
  const LogSearch search{reader, std::move(sources)};
  std::string out;
  const auto report = search.run(query, {}, [&](const FoundLog& log) {
    append_line(out, log);
    return true;
  });
  if (!report) return report.error();
  return out;
}

inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    const std::string name = entry.path().filename().string();
    // LevelDB's diary and the locks hold nothing of the chain.
    if (entry.is_regular_file() && name != "LOG" && name != "LOG.old" && name != "LOCK" &&
        name != "FLOCK" && std::filesystem::file_size(entry.path()) > 0)
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

inline constexpr std::size_t kBlocks = 96;

inline std::vector<ImportedBlock> sample() { return made_chain(0, kBlocks, Hash{}); }

// A new folder with these blocks, synced; closed with the store.
inline ChainStore synced_store(const std::filesystem::path& folder,
                               const std::vector<ImportedBlock>& chain) {
  auto store = ChainStore::open(folder, Creation::kAllowed);
  EXPECT_TRUE(store) << store.error().message;
  add_all(*store, chain);
  EXPECT_TRUE(store->sync());
  return std::move(*store);
}

// Small buffers: tables, and a log that holds the rest.
inline void make_folder(const std::filesystem::path& folder, std::size_t indexed = 64) {
  auto store = ChainStore::open(folder, Creation::kAllowed, {.write_buffer_bytes = 64 << 10});
  ASSERT_TRUE(store) << store.error().message;
  const auto chain = sample();
  add_all(*store, {chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(indexed)});
  ASSERT_TRUE(store->sync());
  ASSERT_TRUE(store->set_section_size(16));
  ASSERT_TRUE(BloombitsIndexer(*store, 0).run({}, {}));
  ASSERT_TRUE(AdaptiveIndexer(*store, {.confirms = 0}).run({}, {}));
  add_all(*store, {chain.begin() + static_cast<std::ptrdiff_t>(indexed), chain.end()});
  ASSERT_TRUE(store->sync());
}

}  // namespace bloomery::ethlog
