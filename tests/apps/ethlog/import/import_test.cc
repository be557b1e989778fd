#include "apps/ethlog/import/import.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/store/geth_directory.h"
#include "apps/ethlog/store/section_records.h"
#include "tests/apps/ethlog/store/chains.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;

TEST(GethFolder, IsFoundAtAnyOfItsLevels) {
  const SampleChaindata chaindata;
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "node/geth");
  std::filesystem::copy(chaindata.path(), folder / "node/geth/chaindata",
                        std::filesystem::copy_options::recursive);
  for (const char* level : {"node", "node/geth", "node/geth/chaindata"}) {
    const auto geth = GethDirectory::open(folder / level);
    ASSERT_TRUE(geth) << level << ": " << geth.error().message;
    EXPECT_EQ(geth->reader().head()->value(), 700U);
    EXPECT_EQ(geth->reader().lowest()->value(), 0U);
  }
  EXPECT_FALSE(find_chaindata(folder.path())->has_value());
  EXPECT_THAT(GethDirectory::open(folder.path()).error().message,
              HasSubstr("no data folder of geth"));
  EXPECT_THAT(ChainFolder::open(folder.path()).error().message, HasSubstr("holds no chain"));
}

TEST(GethFolder, OfPebbleIsRefusedWithAdvice) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "geth/chaindata");
  for (const char* name : {"OPTIONS-000003", "000012.sst", "MANIFEST-000001",
                           "marker.manifest.000001.MANIFEST-000001", "LOCK"})
    std::ofstream{folder / "geth/chaindata" / name} << "x";
  const auto refused = GethDirectory::open(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Pebble"));
  EXPECT_THAT(refused.error().message, HasSubstr("--from-rpc"));
  EXPECT_THAT(refused.error().message, HasSubstr("geth export-history"));
}

TEST(Import, OfAGethFolderGivesTheSameChainAsItsBlocks) {
  const SampleChaindata chaindata;
  const auto geth = GethDirectory::open(chaindata.path());
  ASSERT_TRUE(geth);
  const auto source = blocks_in_chain(geth->reader());
  ASSERT_TRUE(source);
  ChainStore store = store_in_memory();
  ImportProgress progress;
  const Status imported = import_blocks(store, *source, {}, progress);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(progress.stored, 701U);
  EXPECT_EQ(progress.logs, 1280U);
  EXPECT_EQ(progress.acknowledged, 700U);
  for (const ImportedBlock& wanted : golden_chain())
    ASSERT_EQ(store.reader().canonical_hash(wanted.header.number)->value(), wanted.header.hash);
  EXPECT_TRUE((*store.reader().block(50, golden_chain()[50].header.hash))->verified.receipts_root);
}

TEST(Import, AcknowledgesSkipsAndStops) {
  ChainStore store = store_in_memory();
  ImportProgress progress;
  std::vector<std::uint64_t> acknowledged;
  std::stop_source stop;
  const auto note = [&](const ImportProgress& now) {
    if (now.acknowledged && (acknowledged.empty() || acknowledged.back() != *now.acknowledged))
      acknowledged.push_back(*now.acknowledged);
    if (now.stored == 25) stop.request_stop();
  };
  const auto chain = made_chain(0, 40, Hash{});
  ASSERT_TRUE(
      import_blocks(store, blocks_of(chain), {.sync_every = 10}, progress, note, stop.get_token()));
  EXPECT_EQ(acknowledged, (std::vector<std::uint64_t>{9, 19, 24}));
  EXPECT_EQ(progress.blocks, 25U);
  ImportProgress rest;
  ASSERT_TRUE(import_blocks(store, blocks_of(chain), {.sync_every = 10}, rest));
  EXPECT_EQ(rest.blocks, 40U);
  EXPECT_EQ(rest.stored, 15U);
  EXPECT_EQ(rest.acknowledged, 39U);
}

// Notes how each batch is to be written.
class NotingStore final : public KeyValueStore {
 public:
  explicit NotingStore(std::vector<Durability>& writes) : writes_{writes} {}
  Result<std::optional<std::string>> get(std::string_view key) const override {
    return memory_.get(key);
  }
  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override {
    return memory_.scan(first, past, visit);
  }
  Status write(const WriteBatch& batch, Durability durability) override {
    writes_.push_back(durability);
    return memory_.write(batch, durability);
  }

 private:
  std::vector<Durability>& writes_;
  MemoryStore memory_;
};

TEST(Import, AcknowledgesOnlyWhatIsSynced) {
  std::vector<Durability> writes;
  auto store = ChainStore::over(std::make_unique<NotingStore>(writes));
  ASSERT_TRUE(store);
  ImportProgress progress;
  std::size_t synced_when_told = 0;
  const auto note = [&](const ImportProgress& now) {
    if (now.acknowledged != now.last) return;
    EXPECT_EQ(writes.back(), Durability::kSynced);
    ++synced_when_told;
  };
  ASSERT_TRUE(import_blocks(*store, blocks_of(made_chain(0, 25, Hash{})), {.sync_every = 10},
                            progress, note));
  EXPECT_EQ(synced_when_told, 3U);
  EXPECT_EQ(std::ranges::count(writes, Durability::kSynced), 3);
}

TEST(Import, KeepsWhatCameBeforeAnError) {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    ChainStore store = store_in_memory();
    auto chain = made_chain(0, 20, Hash{});
    chain[12].receipts[0].logs.clear();
    ImportProgress progress;
    const Status failed =
        import_blocks(store, blocks_of(chain), {.check_threads = threads}, progress);
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr("block 12: "));
    EXPECT_EQ(progress.acknowledged, 11U);
    EXPECT_EQ(store.counts().blocks, 12U);
  }
}

std::map<std::string, std::string> records_of(const ChainStore& store) {
  std::map<std::string, std::string> records;
  EXPECT_TRUE(store.store().scan("", std::string(64, '\xff'), [&](auto key, auto value) {
    records.emplace(key, value);
    return true;
  }));
  return records;
}

TEST(Import, ChecksByThreadsLikeItsOwn) {
  std::map<std::string, std::string> records;
  for (const std::size_t threads : {0U, 1U, 3U}) {
    ChainStore store = store_in_memory();
    ImportProgress progress;
    ASSERT_TRUE(
        import_blocks(store, blocks_of(golden_chain()), {.check_threads = threads}, progress));
    EXPECT_EQ(progress.logs, 1280U);
    if (threads == 0) records = records_of(store);
    EXPECT_EQ(records_of(store) == records, true) << threads;
    // A block that is stored already is skipped, whatever is wrong with it now.
    auto again = golden_chain();
    again[9].receipts[0].logs.clear();
    ImportProgress second;
    ASSERT_TRUE(import_blocks(store, blocks_of(again), {.check_threads = threads}, second));
    EXPECT_EQ(second.blocks, 701U);
    EXPECT_EQ(second.stored, 0U);
  }
}

// A block without its receipts, and then with them: it is checked again, whole.
TEST(Import, ChecksAgainWhatABlockGained) {
  auto chain = made_chain(0, 20, Hash{});
  auto bare = chain;
  bare[7].receipts.clear();
  bare[7].has_receipts = false;
  ChainStore store = store_in_memory();
  ImportProgress progress;
  ASSERT_TRUE(import_blocks(store, blocks_of(bare), {.check_threads = 2}, progress));
  chain[7].header.rlp.clear();  // the store has it
  chain[7].body_rlp.clear();
  ASSERT_TRUE(import_blocks(store, blocks_of(chain), {.check_threads = 2}, progress));
  const auto block = store.reader().block(7, chain[7].header.hash);
  ASSERT_TRUE(block && *block != nullptr);
  EXPECT_TRUE((*block)->verified.header_hash);
  EXPECT_TRUE((*block)->verified.receipts_root);
}

TEST(Import, TellsErrorsAndExceptionsOfTheSourceInTheirTurn) {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    const auto chain = made_chain(0, 20, Hash{});
    std::size_t next = 0;
    const BlockSource failing = [&]() -> Result<std::optional<ImportedBlock>> {
      if (next == 11) return Error{ErrorCode::kMalformed, "line 12: broken"};
      return std::optional{chain[next++]};
    };
    ChainStore store = store_in_memory();
    ImportProgress progress;
    const Status failed = import_blocks(store, failing, {.check_threads = threads}, progress);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "line 12: broken");
    EXPECT_EQ(progress.acknowledged, 10U);
    const BlockSource throwing = []() -> Result<std::optional<ImportedBlock>> {
      throw std::bad_alloc{};
    };
    EXPECT_THROW((void)import_blocks(store, throwing, {.check_threads = threads}, progress),
                 std::bad_alloc);
  }
}

TEST(Import, IndexesSectionsAsTheyBecomeComplete) {
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  ImportProgress progress;
  std::vector<std::uint64_t> sections;  // at each acknowledgement, and after each section
  const auto note = [&](const ImportProgress& now) {
    if (now.acknowledged == now.last) sections.push_back(now.sections);
  };
  const ImportOptions options{.sync_every = 10, .index_confirms = 8};
  ASSERT_TRUE(import_blocks(store, blocks_of(made_chain(0, 40, Hash{})), options, progress, note));
  EXPECT_EQ(progress.sections, 4U);
  EXPECT_EQ(sections, (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 2, 3, 4, 4}));
  EXPECT_EQ(adaptive_sections(store.store())->size(), 4U);
  EXPECT_EQ(*store.reader().section_count(), 0U) << "no bloom bits unless they are there";
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 0U);
}

TEST(Import, IndexesOnlyWhatWasAskedForAndWhatIsComplete) {
  const auto chain = made_chain(0, 40, Hash{});
  for (const bool index : {false, true}) {
    ChainStore store = store_in_memory();
    ImportOptions options;
    if (index) options.index_confirms = 8;  // a section has 4096 blocks
    ImportProgress progress;
    ASSERT_TRUE(import_blocks(store, blocks_of(chain), options, progress));
    EXPECT_EQ(progress.sections, 0U);
    EXPECT_FALSE(store.store().get(kSectionSizeKey)->has_value()) << "the size stays open";
  }
}

TEST(Import, KeepsTheIndexThatTheStoreHas) {
  const auto chain = made_chain(0, 40, Hash{});
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  add_all(store, {chain.begin(), chain.begin() + 10});
  ASSERT_TRUE((BloombitsIndexer{store, 0}.run()));
  ImportProgress progress;
  ASSERT_TRUE(import_blocks(store, blocks_of(chain), {.index_confirms = 0}, progress));
  EXPECT_EQ(progress.sections, 4U);
  EXPECT_EQ(*store.reader().section_count(), 5U);
  EXPECT_TRUE(adaptive_sections(store.store())->empty());
}

TEST(Import, IndexesAgainWhatAReorganisationTookBack) {
  const auto chain = made_chain(0, 40, Hash{});
  ChainStore store = store_in_memory();
  ASSERT_TRUE(store.set_section_size(8));
  ImportProgress progress;
  const ImportOptions options{.index_confirms = 0};
  ASSERT_TRUE(import_blocks(store, blocks_of(chain), options, progress));
  const auto branch = made_chain(12, 28, chain[11].header.hash, 1);
  ASSERT_TRUE(import_blocks(store, blocks_of(branch), options, progress));
  EXPECT_EQ(progress.sections, 5U + 4);
  EXPECT_EQ(verify_chain(store.reader(), nullptr)->problems, 0U);
  EXPECT_EQ(adaptive_sections(store.store())->size(), 5U);
}

constexpr std::uint64_t kKilledSection = 64;
constexpr ImportOptions kKilledImport{.sync_every = 20, .check_threads = 2, .index_confirms = 16};

// The process that is killed below: it imports and indexes the sample chain and writes a byte for
// every acknowledgement, of 20 blocks each.
TEST(ImportChild, ImportsUntilItIsKilled) {
  const char* folder = std::getenv("BLOOMERY_IMPORT_CHILD");
  if (folder == nullptr) GTEST_SKIP() << "runs only when the next test starts it";
  auto store = ChainStore::open(folder, Creation::kAllowed, {.write_buffer_bytes = 64 << 10});
  ASSERT_TRUE(store) << store.error().message;
  ImportProgress progress;
  std::optional<std::uint64_t> told;
  const auto note = [&](const ImportProgress& now) {
    if (now.acknowledged == told) return;
    told = now.acknowledged;
    ASSERT_EQ(::write(3, "+", 1), 1);
  };
  ASSERT_TRUE(store->set_section_size(kKilledSection));
  const auto source = blocks_in_file(golden_path("chain_blocks.jsonl"));
  ASSERT_TRUE(import_blocks(*store, *source, kKilledImport, progress, note));
}

// Starts the child, kills it after so many acknowledgements, and says how many there were.
std::size_t killed_after(const std::filesystem::path& folder, std::size_t acknowledgements) {
  int told[2];
  EXPECT_EQ(::pipe(told), 0);
  const std::string variable = "BLOOMERY_IMPORT_CHILD=" + folder.string();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(told[1], 3);
    for (const int file : {told[0], told[1]})
      if (file != 3) ::close(file);
    const char* arguments[] = {"import_test", "--gtest_filter=ImportChild.*", "--gtest_brief=1",
                               nullptr};
    const char* environment[] = {variable.c_str(), nullptr};
    ::execve("/proc/self/exe", const_cast<char**>(arguments), const_cast<char**>(environment));
    ::_exit(127);
  }
  ::close(told[1]);
  std::size_t seen = 0;
  char byte = 0;
  while (seen < acknowledgements && ::read(told[0], &byte, 1) == 1) ++seen;
  ::kill(child, SIGKILL);
  while (::read(told[0], &byte, 1) == 1) ++seen;
  ::close(told[0]);
  ::waitpid(child, nullptr, 0);
  return seen;
}

TEST(Import, KilledAtAnyMomentLosesNoAcknowledgedBlockAndGoesOn) {
  const ScratchFolder folder;
  std::uint64_t least = 0;
  for (const std::size_t acknowledgements : {0U, 1U, 7U, 16U}) {
    const std::size_t seen = killed_after(folder / "db", acknowledgements);
    least = std::max<std::uint64_t>(least, std::min<std::uint64_t>(701, seen * 20));
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    ASSERT_TRUE(store) << store.error().message;
    const std::uint64_t blocks = store->counts().blocks;
    ASSERT_GE(blocks, least);
    EXPECT_EQ(store->counts().gaps, 0U);
    const auto verified = verify_chain(store->reader(), nullptr);
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->problems, 0U) << verified->messages.front();
    if (blocks > 0) {
      EXPECT_EQ(store->reader().head()->value(), blocks - 1);
    }
    for (std::uint64_t number = 0; number < blocks; ++number) {
      const ImportedBlock& wanted = golden_chain()[number];
      const auto block = store->reader().block(number, wanted.header.hash);
      ASSERT_TRUE(block && *block != nullptr && (*block)->has_receipts) << number;
      ASSERT_EQ(store->reader().canonical_hash(number)->value(), wanted.header.hash);
    }
    EXPECT_FALSE(store->reader().canonical_hash(blocks)->has_value());
  }
  auto store = ChainStore::open(folder / "db", Creation::kMustExist);
  ImportProgress progress;
  ASSERT_TRUE(import_blocks(*store, blocks_of(golden_chain()), kKilledImport, progress));
  EXPECT_EQ(store->counts().blocks, 701U);
  EXPECT_LT(progress.stored, 701U);
  EXPECT_EQ(adaptive_sections(store->store())->size(), (701U - 16) / kKilledSection);
  EXPECT_EQ(verify_chain(store->reader(), nullptr)->problems, 0U);
}

TEST(ChainFolder, ReadsOurStoreWithoutChangingIt) {
  const ScratchFolder folder;
  EXPECT_THAT(ChainFolder::open(folder / "none").error().message, HasSubstr("holds no chain"));
  {
    auto store = ChainStore::open(folder / "db", Creation::kAllowed);
    add_all(*store, made_chain(5, 9, filled_hash(1)));
    ASSERT_TRUE(store->sync());
  }
  const auto chain = ChainFolder::open(folder / "db");
  ASSERT_TRUE(chain) << chain.error().message;
  EXPECT_FALSE(chain->is_geth());
  EXPECT_EQ(chain->reader().lowest()->value(), 5U);
  EXPECT_EQ(chain->reader().head()->value(), 13U);
}

}  // namespace
}  // namespace bloomery::ethlog
