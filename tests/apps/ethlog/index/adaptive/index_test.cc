#include "apps/ethlog/index/adaptive/index.h"

#include <gmock/gmock.h>

#include "apps/ethlog/check/status.h"
#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using Records = std::map<std::string, std::string>;

constexpr AdaptiveIndexer::Options kAtOnce{.confirms = 0};

ChainStore store_of(const std::vector<ImportedBlock>& chain, std::uint64_t section_size = 8) {
  ChainStore store = store_in_memory();
  EXPECT_TRUE(store.set_section_size(section_size));
  add_all(store, chain);
  return store;
}

Records index_records(const KeyValueStore& store, std::string_view prefix = "bloomery/adaptive/") {
  Records records;
  EXPECT_TRUE(
      store.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
        records.emplace(key, value);
        return true;
      }));
  return records;
}

BlockRange covered(const ChainReader& reader, std::uint64_t first, std::uint64_t last) {
  return adaptive_source(reader)->covered({first, last})->value_or(BlockRange{});
}

Result<QueryReport> search(const ChainReader& reader, const LogQuery& query) {
  return LogSearch{reader, {*adaptive_source(reader)}}.run(query, {},
                                                           [](const FoundLog&) { return true; });
}

LogQuery query_for(std::uint64_t first, std::uint64_t last, std::vector<Address> addresses,
                   std::vector<std::vector<Topic>> topics = {}) {
  LogQuery query;
  query.from = BlockBound{BlockTag::kNumber, first};
  query.to = BlockBound{BlockTag::kNumber, last};
  query.addresses = std::move(addresses);
  query.topics = std::move(topics);
  return query;
}

Address absent_address(unsigned i) {
  Address address;
  address.bytes.fill(static_cast<std::byte>(200 + i));
  address.bytes[0] = static_cast<std::byte>(i);
  return address;
}

TEST(AdaptiveIndex, MakesSectionsThatAreCompleteAndConfirmed) {
  ChainStore store = store_of(made_chain(0, 40, Hash{}));
  EXPECT_EQ((AdaptiveIndexer{store, {.confirms = 9}}.run()->generated), 3U);
  EXPECT_EQ(covered(store.reader(), 0, 39), (BlockRange{0, 23}));
  EXPECT_EQ(AdaptiveIndexer(store, kAtOnce).run()->generated, 2U);
  EXPECT_EQ(AdaptiveIndexer(store, kAtOnce).run()->generated, 0U);
  EXPECT_EQ(covered(store.reader(), 5, 33), (BlockRange{5, 33}));
  EXPECT_EQ(*adaptive_sections(store.store()), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(AdaptiveIndex, FollowsAReorganisation) {
  const auto chain = made_chain(0, 40, Hash{});
  const auto branch = made_chain(21, 25, chain[20].header.hash, 1);
  ChainStore store = store_of(chain);
  ASSERT_TRUE(AdaptiveIndexer(store, kAtOnce).run());
  add_all(store, branch);
  EXPECT_EQ(covered(store.reader(), 0, 45), (BlockRange{0, 15}));
  EXPECT_EQ(AdaptiveIndexer(store, kAtOnce).run()->generated, 3U);
  EXPECT_EQ(covered(store.reader(), 0, 45), (BlockRange{0, 39}));
  const auto old_logs = search(store.reader(), query_for(0, 45, {}, {{filled_hash(100)}}));
  const auto new_logs = search(store.reader(), query_for(0, 45, {}, {{filled_hash(101)}}));
  EXPECT_EQ(old_logs->logs, 21U);
  EXPECT_EQ(new_logs->logs, 25U);
}

TEST(AdaptiveIndex, LeavesOutSectionsWithGapsOrWithoutReceipts) {
  auto chain = made_chain(0, 64, Hash{});
  for (const std::size_t bare : {18U, 42U}) {
    chain[bare].has_receipts = false;
    chain[bare].receipts.clear();
  }
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, {chain.begin(), chain.begin() + 33});
  add_all(store, {chain.begin() + 38, chain.end()}, Gaps::kAllowed);
  const auto made = AdaptiveIndexer{store, kAtOnce}.run();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->generated, 5U);  // all but 16-23, 32-39 and 40-47
  EXPECT_EQ(made->without_receipts, 2U);
  EXPECT_EQ(covered(store.reader(), 0, 63), (BlockRange{0, 15}));
  EXPECT_EQ(covered(store.reader(), 16, 63), (BlockRange{24, 31}));
  EXPECT_EQ(covered(store.reader(), 32, 63), (BlockRange{48, 63}));
}

TEST(AdaptiveIndex, ReadsFewRowsAndDecodesNoReceiptsForNothing) {
  ChainStore store = store_of(golden_chain(), 128);
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.2}}.run()));
  std::uint64_t refused = 0;
  for (unsigned i = 0; i < 20; ++i) {
    const auto report = search(store.reader(), query_for(0, 639, {absent_address(i)}));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->blocks_read, 0U);
    EXPECT_EQ(report->logs, 0U);
    EXPECT_EQ(report->index.sections, 5U);
    EXPECT_LE(report->index.vectors, 5U * 3);
    refused += report->sources[0].refused;
    EXPECT_EQ(report->false_positives, report->sources[0].refused);
  }
  EXPECT_GT(refused, 20U * 640 / 20);  // near a fifth, or the rate would not be the one set
  EXPECT_LT(refused, 20U * 640 / 4);
}

TEST(AdaptiveIndex, SkipsWhatIsCheaperToCheck) {
  ChainStore store = store_of(made_chain(0, 40, Hash{}));
  ASSERT_TRUE(AdaptiveIndexer(store, kAtOnce).run());
  std::vector<Address> many;
  for (unsigned i = 0; i < 200; ++i) many.push_back(absent_address(i % 50));
  Address real;
  real.bytes.fill(std::byte{3});
  many.push_back(real);
  const auto report = search(store.reader(), query_for(0, 39, many));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->index.clauses_skipped, 5U);
  EXPECT_EQ(report->candidates, 40U);
  EXPECT_EQ(report->logs, 6U);
  EXPECT_EQ(report->blocks_read, 6U);
  // One block alone is checked at once.
  const auto one = search(store.reader(), query_for(3, 3, {real}));
  EXPECT_EQ(one->logs, 1U);
  EXPECT_EQ(one->index.clauses_skipped, 1U);
}

TEST(AdaptiveIndex, IsMadeAnewForAnotherRate) {
  ChainStore store = store_of(golden_chain(), 128);
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.1}}.run()));
  const auto coarse = index_records(store.store());
  EXPECT_DOUBLE_EQ(*AdaptiveIndexer(store).goal(), 0.1);
  EXPECT_EQ((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.01}}.run()->generated), 5U);
  EXPECT_EQ(AdaptiveIndexer(store, kAtOnce).run()->generated, 0U);
  EXPECT_EQ(section_metadata(store.store(), 2)->value().goal, 0.01);
  ChainStore other = store_of(golden_chain(), 128);
  ASSERT_TRUE((AdaptiveIndexer{other, {.confirms = 0, .goal = 0.01}}.run()));
  EXPECT_EQ(index_records(store.store()), index_records(other.store()));  // nothing is left over
  EXPECT_NE(index_records(store.store()), coarse);
  EXPECT_FALSE((AdaptiveIndexer{store, {.confirms = 0, .goal = 1.5}}.run()));
}

TEST(AdaptiveIndex, DamageIsAnErrorAndNeverAMissedLog) {
  const auto chain = made_chain(0, 40, Hash{});
  ChainStore store = store_of(chain);
  ASSERT_TRUE(AdaptiveIndexer(store, kAtOnce).run());
  Address real;
  real.bytes.fill(std::byte{3});
  const LogQuery query = query_for(0, 39, {real}, {{}, {filled_hash(10)}});
  ASSERT_EQ(search(store.reader(), query)->logs, 1U);  // block 10
  const auto whole = index_records(store.store(), "bloomery/");
  std::size_t errors = 0;
  for (const auto& [key, value] : whole) {
    if (!key.starts_with("bloomery/adaptive/") && !key.starts_with("bloomery/columns/")) continue;
    if (key == kAdaptiveGoalKey) continue;
    std::string damaged = value;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x20);
    for (const bool removed : {false, true}) {
      WriteBatch batch;
      if (removed)
        batch.remove(key);
      else
        batch.put(key, damaged);
      ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
      const auto report = search(store.reader(), query);
      if (report) {
        EXPECT_EQ(report->logs, 1U);
      }
      errors += report ? 0 : 1;
      batch.clear();
      batch.put(key, value);
      ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
    }
  }
  EXPECT_GT(errors, 12U);
  EXPECT_EQ(search(store.reader(), query)->logs, 1U);
}

// Every write fails from the n-th on, as after a kill at that moment.
class FailingStore final : public KeyValueStore {
 public:
  explicit FailingStore(std::size_t& writes_left) : writes_left_{writes_left} {}
  Result<std::optional<std::string>> get(std::string_view key) const override {
    return inner_.get(key);
  }
  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override {
    return inner_.scan(first, past, visit);
  }
  Status write(const WriteBatch& batch, Durability durability) override {
    if (writes_left_ == 0) return Error{ErrorCode::kIo, "killed"};
    --writes_left_;
    return inner_.write(batch, durability);
  }

 private:
  MemoryStore inner_;
  std::size_t& writes_left_;
};

TEST(AdaptiveIndex, KilledAtAnyMomentASectionIsWholeOrAbsent) {
  const auto chain = made_chain(0, 24, Hash{});
  for (std::size_t writes = 0;; ++writes) {
    std::size_t left = SIZE_MAX;
    auto store = *ChainStore::over(std::make_unique<FailingStore>(left));
    ASSERT_TRUE(store.set_section_size(8));
    add_all(store, chain);
    left = writes;
    const auto made = AdaptiveIndexer{store, kAtOnce}.run();
    left = SIZE_MAX;
    const auto verified = verify_chain(store.reader(), nullptr);
    ASSERT_TRUE(verified);
    EXPECT_EQ(verified->problems, 0U);
    EXPECT_EQ(search(store.reader(), query_for(0, 23, {}))->logs, 24U);
    ASSERT_TRUE(AdaptiveIndexer(store, kAtOnce).run());
    EXPECT_EQ(covered(store.reader(), 0, 23), (BlockRange{0, 23}));
    if (made) break;
    ASSERT_LT(writes, 100U);
  }
}

TEST(AdaptiveIndex, IsVerifiedAndRepaired) {
  const auto chain = made_chain(0, 40, Hash{});
  ChainStore store = store_of(chain);
  ASSERT_TRUE((AdaptiveIndexer{store, {.confirms = 0, .goal = 0.01}}.run()));
  const auto right = index_records(store.store(), "bloomery/");
  const auto verified = [&](ChainStore* repair) { return *verify_chain(store.reader(), repair); };
  EXPECT_EQ(verified(nullptr).sections, 5U);
  EXPECT_EQ(verified(nullptr).problems, 0U);
  WriteBatch batch;
  const SectionMetadata meta = **section_metadata(store.store(), 1);
  batch.put(adaptive_chunk_key(meta, 0), "damaged");
  batch.remove(key_column_key(2, chain[23].header.hash, 17));
  batch.put(log_column_key(2, chain[23].header.hash, 18), "damaged");
  batch.put(adaptive_head_key(3), "damaged");
  SectionMetadata stale = **section_metadata(store.store(), 4);
  stale.head = filled_hash(1);
  batch.put(adaptive_head_key(4), encode_metadata(stale));
  ASSERT_TRUE(store.store().write(batch, Durability::kBuffered));
  const VerifyReport found = verified(nullptr);
  ASSERT_EQ(found.problems, 4U);
  EXPECT_EQ(found.messages[0],
            "section 1 of the adaptive index: 1 of its records are missing or not those of its "
            "blocks");
  EXPECT_THAT(found.messages[1], HasSubstr("section 2 of the adaptive index: 2 of its records"));
  EXPECT_THAT(found.messages[2], HasSubstr("section 3: the record of a section"));
  EXPECT_THAT(found.messages[3], HasSubstr("its head is not the canonical block 39"));
  EXPECT_EQ(verified(&store).repaired, 4U);
  EXPECT_EQ(verified(nullptr).problems, 0U);
  EXPECT_EQ(index_records(store.store(), "bloomery/"), right);
}

TEST(AdaptiveIndex, StatusSaysSizeAndRealRate) {
  const ScratchFolder folder;
  {
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store && store->set_section_size(128));
    add_all(*store, golden_chain());
    ASSERT_TRUE((BloombitsIndexer{*store, 0}.run()));
    ASSERT_TRUE((AdaptiveIndexer{*store, {.confirms = 0, .goal = 0.02}}.run()));
  }
  const auto status = status_of(*ChainFolder::open(folder / "db"));
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_TRUE(status->adaptive);
  const AdaptiveStatus& adaptive = *status->adaptive;
  EXPECT_EQ(adaptive.sections, 5U);
  EXPECT_EQ(adaptive.blocks, 640U);
  EXPECT_GT(adaptive.row_bytes, 640U);
  EXPECT_GT(adaptive.column_bytes, 640U * 48);
  EXPECT_LE(adaptive.rate, 0.02);
  EXPECT_GT(adaptive.rate, 0.01);
  EXPECT_GE(adaptive.worst_rate, adaptive.rate);
  EXPECT_LE(adaptive.worst_rate, 0.02);
  EXPECT_GT(adaptive.measured_pairs, 100'000U);
  EXPECT_NEAR(adaptive.measured_rate, adaptive.rate, 0.004);
  ASSERT_TRUE(status->bloombits);
  EXPECT_EQ(status->bloombits->sampled_sections, 5U);
  EXPECT_GT(status->bloombits->bytes_per_block, 1.0);
  EXPECT_GT(status->bloombits->rate, 0.0);
}

}  // namespace
}  // namespace bloomery::ethlog
