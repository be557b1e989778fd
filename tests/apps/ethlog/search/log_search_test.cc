#include "apps/ethlog/search/log_search.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "apps/ethlog/index/adaptive/index.h"
#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/json/criteria.h"
#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/geth_directory.h"
#include "apps/ethlog/store/schema.h"
#include "tests/apps/ethlog/store/chains.h"
#include "tests/full_run.h"

namespace bloomery::ethlog {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Way : std::uint8_t { kNoIndex, kDirect, kThreads, kAdaptive, kAdaptiveThreads, kBoth };
constexpr Way kWays[] = {Way::kNoIndex,  Way::kDirect,          Way::kThreads,
                         Way::kAdaptive, Way::kAdaptiveThreads, Way::kBoth};
bool is_adaptive(Way way) { return way >= Way::kAdaptive; }

LogSearch search_over(const ChainReader& reader, Way way) {
  const auto one = [&]() -> Result<CandidateSource> {
    if (way == Way::kDirect) return bloombits_source(reader, MatchMode::kDirect);
    if (way == Way::kThreads) return bloombits_source(reader, MatchMode::kThreads);
    if (way == Way::kAdaptive) return adaptive_source(reader, MatchMode::kDirect);
    return adaptive_source(reader, MatchMode::kThreads);
  };
  if (way == Way::kNoIndex) return {reader, {}};
  if (way == Way::kBoth) return {reader, *sources_of(reader)};
  return {reader, {*one()}};
}

struct Answer {
  std::vector<std::string> logs;
  QueryReport report;
  std::string error;
};

Answer ask(const LogSearch& search, const LogQuery& query, const QueryOptions& options = {}) {
  Answer answer;
  const auto report = search.run(query, options, [&](const FoundLog& found) {
    append_log_json(answer.logs.emplace_back(), found);
    return true;
  });
  if (report)
    answer.report = *report;
  else
    answer.error = report.error().message;
  return answer;
}

std::string joined(const std::vector<std::string>& logs) {
  std::string text = "[";
  for (const std::string& log : logs) text += (text.size() > 1 ? "," : "") + log;
  return text + "]";
}

LogQuery range_query(std::uint64_t first, std::uint64_t last) {
  LogQuery query;
  query.from = BlockBound{BlockTag::kNumber, first};
  query.to = BlockBound{BlockTag::kNumber, last};
  return query;
}

// ---- geth's own answers

void answers_as_geth(const ChainReader& reader, bool has_adaptive) {
  std::ifstream file{golden_path("getlogs.json")};
  const json golden = json::parse(file);
  ASSERT_GE(golden["queries"].size(), 63U);
  for (const Way way : kWays) {
    const LogSearch search = search_over(reader, way);
    for (const json& wanted : golden["queries"]) {
      const auto query = parse_criteria(wanted["params"].dump());
      ASSERT_TRUE(query);
      const Answer answer = ask(search, *query);
      ASSERT_EQ(answer.error, "");
      ASSERT_EQ(answer.logs.size(), wanted["n"]) << wanted["params"];
      ASSERT_EQ(keccak_hash(bytes_of(joined(answer.logs))).hex(), wanted["result_keccak"])
          << wanted["params"];
      const bool has_index =
          is_adaptive(way) ? has_adaptive || way == Way::kBoth : way != Way::kNoIndex;
      if (has_index && answer.report.range->first < 640 && !query->block_hash) {
        EXPECT_GT(answer.report.indexed_blocks, 0U);
      }
    }
  }
}

TEST(LogQuery, AnswersAsGethDoesInItsOwnFolder) {
  const SampleChaindata chaindata;
  const auto chain = ChainFolder::open(chaindata.path());
  ASSERT_TRUE(chain) << chain.error().message;
  EXPECT_TRUE(chain->is_geth());
  answers_as_geth(chain->reader(), false);
}

TEST(LogQuery, AnswersAsGethDoesOverOurStore) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  ASSERT_TRUE((BloombitsIndexer{store, 32}.run()));
  ASSERT_EQ((AdaptiveIndexer{store, {.confirms = 32}}.run()->generated), 5U);
  answers_as_geth(store.reader(), true);
}

// The system may refuse threads. Then every search reads in its own.
TEST(LogQuery, FindsTheSameWithoutThreads) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(128));
  add_all(store, golden_chain());
  ASSERT_TRUE((BloombitsIndexer{store, 32}.run()));
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 32}}.run()));
  const auto none = std::make_shared<SearchThreads>(store.reader(), 0);
  for (const auto& make : {bloombits_source, adaptive_source}) {
    const auto refused = make(store.reader(), MatchMode::kThreads, none);
    const auto threaded = make(store.reader(), MatchMode::kThreads, nullptr);
    const Answer without = ask({store.reader(), {*refused}}, range_query(0, 639));
    const Answer with = ask({store.reader(), {*threaded}}, range_query(0, 639));
    ASSERT_EQ(without.error, "");
    EXPECT_EQ(without.logs, with.logs);
    EXPECT_GT(without.logs.size(), 0U);
    EXPECT_EQ(without.report.index.sections_threaded, 0U);
    EXPECT_EQ(with.report.index.sections_threaded, 5U);
    EXPECT_EQ(with.report.index.vectors, without.report.index.vectors);
    EXPECT_EQ(with.report.index.bytes, without.report.index.bytes);
  }
}

// ---- the rules of a range

TEST(LogQuery, ResolvesRangesByTheRulesOfGeth) {
  ChainStore store = store_in_memory();
  const auto resolve = [&](std::string_view criteria, BeyondHead beyond = BeyondHead::kError) {
    const auto range = resolve_range(store.reader(), *parse_criteria(criteria), beyond);
    if (!range) return range.error().message;
    if (!*range) return std::string{"nothing"};
    return std::to_string((*range)->first) + "-" + std::to_string((*range)->last);
  };
  EXPECT_EQ(resolve("{}"), "nothing");
  add_all(store, made_chain(10, 30, filled_hash(1)));
  EXPECT_EQ(resolve("{}"), "39-39");
  EXPECT_EQ(resolve(R"({"fromBlock":"earliest"})"), "10-39");
  EXPECT_EQ(resolve(R"({"fromBlock":"0x14","toBlock":"0x14"})"), "20-20");
  EXPECT_EQ(resolve(R"({"fromBlock":"0x15","toBlock":"0x14"})"), "invalid block range params");
  EXPECT_EQ(resolve(R"({"toBlock":"0x14"})"), "invalid block range params");
  EXPECT_EQ(resolve(R"({"fromBlock":"0x15","toBlock":"0x28"})"),
            "block range extends beyond current head block");
  EXPECT_EQ(resolve(R"({"fromBlock":"0x15","toBlock":"0x28"})", BeyondHead::kCut), "21-39");
  EXPECT_EQ(resolve(R"({"fromBlock":"0x28","toBlock":"0x29"})", BeyondHead::kCut), "nothing");
  EXPECT_EQ(resolve(R"({"fromBlock":"pending"})"), "pending logs are not supported");
  EXPECT_EQ(resolve(R"({"fromBlock":"safe"})"), "safe header not found");
  EXPECT_EQ(resolve(R"({"fromBlock":"finalized"})"), "finalized header not found");
  WriteBatch batch;
  batch.put(kFinalizedBlockKey, text_of(store.reader().canonical_hash(33)->value().view()));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  EXPECT_EQ(resolve(R"({"fromBlock":"finalized"})"), "33-39");
}

TEST(LogQuery, TellsWhatItCannotRead) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  const auto chain = made_chain(0, 30, Hash{});
  add_all(store, chain);
  ASSERT_TRUE((BloombitsIndexer{store, 0}.run()));
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0}}.run()));
  WriteBatch batch;
  batch.remove(receipts_key(5, chain[5].header.hash));
  batch.remove(receipts_key(27, chain[27].header.hash));
  batch.remove(note_key(5, chain[5].header.hash));
  batch.remove(note_key(27, chain[27].header.hash));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  for (const ImportedBlock& block : chain) store.reader().forget(block.header.hash);
  for (const Way way : kWays) {
    const LogSearch search = search_over(store.reader(), way);
    const std::string hex = chain[5].header.hash.hex();
    EXPECT_EQ(ask(search, range_query(0, 10)).error,
              "failed to get logs for block #5 (" + hex.substr(0, 8) + ".." + hex.substr(60) +
                  "): its receipts are not stored; import the block again with its receipts (eth "
                  "import)");
    EXPECT_THAT(ask(search, range_query(20, 29)).error,
                HasSubstr("failed to get logs for block #27"));
    LogQuery other = range_query(0, 10);
    other.addresses.push_back(chain[6].receipts[0].logs[0].address);
    EXPECT_EQ(ask(search, other).error, "");  // block 5 has no part in it
  }
  LogQuery unknown;
  unknown.block_hash = filled_hash(9);
  EXPECT_EQ(ask(search_over(store.reader(), Way::kNoIndex), unknown).error, "unknown block");
  batch.clear();
  batch.remove(bloom_bits_key(100, 1, chain[15].header.hash));
  for (std::uint16_t bit = 0; bit < 2048; ++bit)
    batch.put(bloom_bits_key(bit, 2, chain[23].header.hash), std::string(5, 'x'));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  LogQuery query = range_query(16, 23);
  query.addresses.push_back(Address{});
  EXPECT_THAT(ask(search_over(store.reader(), Way::kDirect), query).error,
              HasSubstr("in section 2 is broken: "));
  EXPECT_THAT(ask(search_over(store.reader(), Way::kThreads), query).error,
              HasSubstr("in section 2 is broken: "));
}

TEST(LogQuery, SaysThatBlocksAreMissingUnlessToldToSkipThem) {
  ChainStore store = store_in_memory();
  const auto chain = made_chain(0, 30, Hash{});
  add_all(store, {chain.begin(), chain.begin() + 10});
  add_all(store, {chain.begin() + 14, chain.end()}, Gaps::kAllowed);
  const LogSearch search = search_over(store.reader(), Way::kDirect);
  EXPECT_THAT(ask(search, range_query(0, 29)).error, HasSubstr("header not found"));
  const Answer skipped = ask(search, range_query(0, 29), {.missing = MissingBlocks::kSkipped});
  EXPECT_EQ(skipped.logs.size(), 26U);
  EXPECT_EQ(skipped.report.missing_blocks, 4U);
}

TEST(LogQuery, EndsAtLimitStopAndDeadline) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, made_chain(0, 30, Hash{}));
  ASSERT_TRUE((BloombitsIndexer{store, 0}.run()));
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0}}.run()));
  for (const Way way : kWays) {
    const LogSearch search = search_over(store.reader(), way);
    const auto all = ask(search, range_query(0, 29));
    EXPECT_EQ(all.logs.size(), 30U);
    EXPECT_EQ(all.report.end, QueryEnd::kComplete);
    const auto first = ask(search, range_query(3, 29), {.limit = 2});
    EXPECT_THAT(first.logs, ElementsAre(all.logs[3], all.logs[4]));
    EXPECT_EQ(first.report.end, QueryEnd::kLimit);
    EXPECT_LE(first.report.blocks_read, 2U);
    const auto newest = ask(search, range_query(3, 28), {.limit = 12, .newest_first = true});
    EXPECT_EQ(newest.logs, std::vector<std::string>(all.logs.rbegin() + 1, all.logs.rbegin() + 13));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(ask(search, range_query(0, 29), {.stop = stop.get_token()}).report.end,
              QueryEnd::kStopped);
    EXPECT_EQ(
        ask(search, range_query(0, 29), {.deadline = std::chrono::steady_clock::now()}).report.end,
        QueryEnd::kDeadline);
  }
  std::size_t seen = 0;
  const auto report =
      search_over(store.reader(), Way::kThreads).run(range_query(0, 29), {}, [&](const FoundLog&) {
        return ++seen < 3;
      });
  EXPECT_EQ(seen, 3U);
  EXPECT_EQ(report->end, QueryEnd::kLimit);
}

// ---- random searches against looking at every log

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t end) { return random() % end; }

const std::vector<Log>& golden_logs() {
  static const std::vector<Log> logs = [] {
    std::vector<Log> all;
    for (const ImportedBlock& block : golden_chain())
      for (const Receipt& receipt : block.receipts)
        all.insert(all.end(), receipt.logs.begin(), receipt.logs.end());
    return all;
  }();
  return logs;
}

// A chain whose branches are tried and left, and what is canonical of it in the end.
class RandomChain {
 public:
  RandomChain(Random& random, std::uint64_t section_size, std::uint64_t most_logs)
      : store_{store_in_memory()}, random_{random}, most_logs_{most_logs} {
    EXPECT_TRUE(store_.set_section_size(section_size));
    for (std::uint64_t step = 0; step < 8; ++step) {
      const std::uint64_t depth =
          std::min<std::uint64_t>(std::max<std::size_t>(blocks_.size(), 1) - 1,
                                  below(random, 3) == 0 ? below(random, 2 * section_size) : 0);
      blocks_.resize(blocks_.size() - depth);
      for (std::uint64_t i = below(random, 40) + 1; i > 0; --i) grow();
      if (below(random, 2) == 0) index(below(random, 20));
    }
    index(below(random, 12));
  }
  const ChainReader& reader() const { return store_.reader(); }
  const std::vector<ImportedBlock>& blocks() const { return blocks_; }

 private:
  void grow() {
    LogsOfReceipts logs(below(random_, 3));
    for (auto& of_receipt : logs)
      for (std::uint64_t i = below(random_, most_logs_ + 1); i > 0; --i)
        of_receipt.push_back(golden_logs()[below(random_, golden_logs().size())]);
    const Hash parent = blocks_.empty() ? Hash{} : blocks_.back().header.hash;
    blocks_.push_back(made_block(blocks_.size(), parent, logs, random_()));
    const auto added = store_.add(blocks_.back(), Gaps::kRefused);
    ASSERT_TRUE(added) << added.error().message;
    ASSERT_TRUE(check_block(blocks_.back()));  // names the transactions
  }
  void index(std::uint64_t confirms) {
    const auto made = BloombitsIndexer{store_, confirms}.run();
    ASSERT_TRUE(made) << made.error().message;
    // Now and then only one of them, and now and then for another rate.
    if (below(random_, 4) == 0) return;
    AdaptiveIndexer::Options options{.confirms = confirms};
    if (below(random_, 4) == 0) options.goal = below(random_, 2) == 0 ? 0.3 : 0.001;
    const auto adaptive = AdaptiveIndexer{store_, options}.run();
    ASSERT_TRUE(adaptive) << adaptive.error().message;
  }

  ChainStore store_;
  Random& random_;
  std::uint64_t most_logs_;
  std::vector<ImportedBlock> blocks_;
};

LogQuery random_query(Random& random, std::uint64_t blocks, std::uint64_t section_size) {
  std::uint64_t bounds[2];
  for (std::uint64_t& bound : bounds)
    bound = below(random, 3) == 0  // at the edges of sections
                ? below(random, blocks) / section_size * section_size + below(random, 3) - 1
                : below(random, blocks);
  for (std::uint64_t& bound : bounds) bound = std::min(bound, blocks - 1);
  LogQuery query = range_query(std::min(bounds[0], bounds[1]), std::max(bounds[0], bounds[1]));
  const Log& like = golden_logs()[below(random, golden_logs().size())];
  if (below(random, 2) == 0)
    for (std::uint64_t i = below(random, 3); i > 0; --i)
      query.addresses.push_back(golden_logs()[below(random, golden_logs().size())].address);
  if (below(random, 3) == 0) query.addresses.push_back(like.address);
  for (std::uint64_t i = below(random, 5); i > 0; --i) {
    std::vector<Topic>& choices = query.topics.emplace_back();
    const std::size_t at = query.topics.size() - 1;
    if (below(random, 3) != 0) continue;
    if (at < like.topics.size()) choices.push_back(like.topics[at]);
    for (std::uint64_t k = below(random, 4); k > 0; --k) {
      const Log& log = golden_logs()[below(random, golden_logs().size())];
      if (!log.topics.empty()) choices.push_back(log.topics[below(random, log.topics.size())]);
    }
  }
  return query;
}

bool asked_for(const LogQuery& query, const Log& log) {
  bool address = query.addresses.empty();
  for (const Address& one : query.addresses) address = address || one == log.address;
  bool topics = log.topics.size() >= query.topics.size();
  for (std::size_t i = 0; topics && i < query.topics.size(); ++i) {
    bool any = query.topics[i].empty();
    for (const Topic& one : query.topics[i]) any = any || one == log.topics[i];
    topics = any;
  }
  return address && topics;
}

std::vector<std::string> by_brute_force(const std::vector<ImportedBlock>& blocks,
                                        const LogQuery& query) {
  std::vector<std::string> found;
  for (std::uint64_t number = query.from->number; number <= query.to->number; ++number) {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < blocks[number].receipts.size(); ++i)
      for (const Log& log : blocks[number].receipts[i].logs) {
        if (asked_for(query, log))
          append_log_json(found.emplace_back(), {blocks[number], i, index, log});
        ++index;
      }
  }
  return found;
}

// Threads cost more than the rest of a search, and blooms are tested on the way by all others.
Way way_of(std::size_t query) {
  constexpr Way kOften[] = {Way::kDirect, Way::kAdaptive, Way::kAdaptive, Way::kBoth};
  if (query % 10 == 0) return Way::kThreads;
  if (query % 10 == 5) return Way::kAdaptiveThreads;
  return query % 7 == 0 ? Way::kNoIndex : kOften[query % 4];
}

TEST(LogQuery, FindsExactlyWhatLookingAtEveryLogFinds) {
  const std::size_t chains = testing::full_run() ? 200 : 8;
  const std::size_t queries = testing::full_run() ? 2000 : 250;
  Random random{20261116};
  std::size_t found = 0;
  std::size_t indexed = 0;
  std::size_t checked = 0;
  for (std::size_t chain = 0; chain < chains; ++chain) {
    const std::uint64_t section_size = std::uint64_t{8} << below(random, 4);
    const RandomChain made{random, section_size, below(random, 2) == 0 ? 1 : 1 + below(random, 12)};
    for (std::size_t i = 0; i < queries; ++i) {
      const LogQuery query = random_query(random, made.blocks().size(), section_size);
      const Way way = way_of(i);
      QueryOptions options;
      options.newest_first = below(random, 4) == 0;
      options.step_back = 1 + below(random, 50);
      if (below(random, 4) == 0) options.limit = below(random, 6);
      std::vector<std::string> wanted = by_brute_force(made.blocks(), query);
      if (options.newest_first) std::ranges::reverse(wanted);
      if (options.limit && *options.limit < wanted.size()) wanted.resize(*options.limit);
      const Answer answer = ask(search_over(made.reader(), way), query, options);
      ASSERT_EQ(answer.error, "");
      ASSERT_EQ(answer.logs, wanted) << "chain " << chain << ", query " << i;
      found += wanted.size();
      indexed += answer.report.indexed_blocks > 0 ? 1 : 0;
      for (const SourceReport& source : answer.report.sources) checked += source.checked;
    }
  }
  EXPECT_GT(found, chains * queries / 4);
  EXPECT_GT(indexed, chains * queries / 4);
  EXPECT_GT(checked, chains * queries / 4);
}

}  // namespace
}  // namespace bloomery::ethlog
