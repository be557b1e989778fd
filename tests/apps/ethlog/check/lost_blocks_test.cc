// Blocks that vanish from a chain folder: noticed, named, repaired; and writes that fail.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include "apps/ethlog/kv/temporary_folder.h"
#include "tests/apps/ethlog/index/adaptive/damaged_folders.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string only_log(const fs::path& folder) {
  for (const fs::path& file : files_below(folder))
    if (file.extension() == ".log") return file.string();
  return {};
}

TEST(LostBlocks, AreNamedByEveryCommandUntilTheyAreImportedAgain) {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "chain";
  const auto chain = sample();
  synced_store(folder, chain);
  const std::string log = only_log(folder);
  fs::resize_file(log, fs::file_size(log) / 2);  // as if its pages had never reached the disk
  std::uint64_t first = 0;
  {
    const auto read = ChainFolder::open(folder);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->reader().lost().size(), 1U);
    first = read->reader().lost().front().first;
    EXPECT_GT(first, 10U);
    EXPECT_EQ(read->reader().lost().front().last, kBlocks - 1);
    LogQuery query;
    query.from = BlockBound{BlockTag::kEarliest, 0};
    EXPECT_THAT(searched(read->reader(), query, true).error().message,
                HasSubstr("lost blocks " + std::to_string(first) + " to 95"));
    query.to = BlockBound{BlockTag::kNumber, first - 2};  // none of them is asked for
    EXPECT_EQ(*searched(read->reader(), query, true), brute_force(chain, query, first - 1));
    EXPECT_EQ(status_of(*read)->lost.front().first, first);
    EXPECT_GT(verify_chain(read->reader(), nullptr, {}, {})->problems, 0U);
  }
  {  // half of them come back; the rest stays known, over a restart too
    auto store = ChainStore::open(folder, Creation::kMustExist);
    ASSERT_TRUE(store) << store.error().message;
    for (std::uint64_t number = first; number < first + 3; ++number)
      ASSERT_TRUE(store->add(chain[number], Gaps::kRefused));
    ASSERT_TRUE(store->sync());
    ASSERT_EQ(store->lost().size(), 1U);
    EXPECT_EQ(store->lost().front().first, first + 3);
  }
  auto store = ChainStore::open(folder, Creation::kMustExist);
  ASSERT_EQ(store->lost().size(), 1U);
  EXPECT_EQ(store->lost().front().first, first + 3);
  add_all(*store, chain);
  ASSERT_TRUE(store->sync());
  EXPECT_THAT(store->lost(), IsEmpty());
  EXPECT_THAT(store->reader().lost(), IsEmpty());
  EXPECT_EQ(store->counts().blocks, kBlocks);
  EXPECT_EQ(store->counts().gaps, 0U);
}

TEST(LostBlocks, InTheMiddleOfADamagedLogAreRepairedByImportingThemAgain) {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "chain";
  make_folder(folder, 96);
  {
    auto store = ChainStore::open(folder, Creation::kAllowed);
    add_all(*store, made_chain(kBlocks, 50, sample().back().header.hash));
    ASSERT_TRUE(store->sync());
  }
  const std::string log = only_log(folder);
  std::fstream stream{log, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekp(static_cast<std::streamoff>(fs::file_size(log) / 3));
  stream << "damage";
  stream.close();
  const auto refused = ChainStore::open(folder, Creation::kAllowed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(refused.error().message, HasSubstr(log));
  EXPECT_THAT(refused.error().message, HasSubstr("--repair"));
  {
    auto store = ChainStore::open_to_repair(folder);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_FALSE(store->lost().empty());
    EXPECT_GT(verify_chain(store->reader(), &*store, {}, {})->problems, 0U);
  }
  auto store = ChainStore::open(folder, Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_FALSE(store->lost().empty());
  add_all(*store, sample());
  add_all(*store, made_chain(kBlocks, 50, sample().back().header.hash));
  ASSERT_TRUE(store->sync());
  EXPECT_THAT(store->lost(), IsEmpty());
  EXPECT_EQ(store->counts().blocks, kBlocks + 50);
  EXPECT_EQ(store->counts().gaps, 0U);
  EXPECT_EQ(verify_chain(store->reader(), nullptr, {}, {})->problems, 0U);
}

// Folders of older versions: no count of syncs, and counters that were believed.
TEST(LostBlocks, OfAnOlderFolderAreFoundByTheBlocksThatFollowThem) {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "chain";
  const auto chain = sample();
  {
    ChainStore store = synced_store(folder, chain);
    WriteBatch batch;  // what a recovery without blocks 20 to 32 left
    for (std::uint64_t number = 20; number <= 32; ++number) {
      batch.remove("h" + std::string(7, '\0') + static_cast<char>(number) + "n");
      batch.remove("bloomery/synced");
    }
    ASSERT_TRUE(store.store().write(batch, Durability::kSynced));
  }
  std::ofstream{folder / kMarkerFile}
      << "Blocks of an Ethereum chain, in a LevelDB database that bloomery made.\n";
  {
    const auto read = ChainFolder::open(folder);
    ASSERT_TRUE(read) << read.error().message;
    const auto status = status_of(*read);
    ASSERT_TRUE(status);
    EXPECT_EQ(status->counts->blocks, kBlocks - 13);
    EXPECT_EQ(status->counts->gaps, 13U);
    EXPECT_EQ(status->lost, (std::vector<BlockRange>{{20, 32}}));
    LogQuery query;
    query.from = BlockBound{BlockTag::kEarliest, 0};
    EXPECT_THAT(searched(read->reader(), query, true).error().message,
                HasSubstr("blocks 20 to 32 are in the range"));
  }
  auto store = ChainStore::open(folder, Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->lost(), (std::vector<BlockRange>{{20, 32}}));
  add_all(*store, chain);
  ASSERT_TRUE(store->sync());
  EXPECT_EQ(store->counts().blocks, kBlocks);
  EXPECT_EQ(store->counts().gaps, 0U);
  EXPECT_THAT(store->lost(), IsEmpty());
}

TEST(LostBlocks, AreNotTheGapsThatWereAllowed) {
  const ScratchFolder scratch;
  {
    auto store = ChainStore::open(scratch / "chain", Creation::kAllowed);
    const auto chain = sample();
    add_all(*store, {chain.begin() + 5, chain.begin() + 20});
    add_all(*store, {chain.begin() + 30, chain.begin() + 40}, Gaps::kAllowed);
    ASSERT_TRUE(store->sync());
  }
  const auto read = ChainFolder::open(scratch / "chain");
  const auto status = status_of(*read);
  EXPECT_EQ(status->gaps, (std::vector<BlockRange>{{20, 29}}));
  EXPECT_THAT(status->lost, IsEmpty());
  EXPECT_EQ(verify_chain(read->reader(), nullptr, {}, {})->problems, 0U);
}

TEST(ChainFolder, WithoutTheFileCurrentIsNotBegunAnew) {
  const ScratchFolder scratch;
  make_folder(scratch / "chain");
  fs::remove(scratch / "chain" / "CURRENT");
  const auto files = files_below(scratch / "chain");
  const auto store = ChainStore::open(scratch / "chain", Creation::kAllowed);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("CURRENT: the file is missing"));
  EXPECT_EQ(files_below(scratch / "chain"), files);
  {
    const auto repaired = ChainStore::open_to_repair(scratch / "chain");
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(repaired->counts().blocks, kBlocks);
    EXPECT_THAT(repaired->lost(), IsEmpty());
  }
  EXPECT_TRUE(ChainStore::open(scratch / "chain", Creation::kMustExist));
}

TEST(ChainFolder, WithoutItsMarkerIsRefusedAndRepaired) {
  const ScratchFolder scratch;
  make_folder(scratch / "chain");
  fs::remove(scratch / "chain" / kMarkerFile);
  const auto chain = ChainFolder::open(scratch / "chain");
  ASSERT_FALSE(chain);
  EXPECT_THAT(chain.error().message, HasSubstr("BLOOMERY-CHAIN is missing"));
  ASSERT_TRUE(ChainStore::open_to_repair(scratch / "chain"));
  EXPECT_TRUE(ChainFolder::open(scratch / "chain"));
}

TEST(ChainMarker, KeepsEveryMemberAndRefusesEveryFlip) {
  const ChainMarker marker{
      .synced = 17, .blocks = 701, .lowest = 0, .head = 700, .lost = {{3, 4}, {9, 9}}};
  const std::string text = encode_marker(marker);
  EXPECT_EQ(*decode_marker(text), marker);
  EXPECT_EQ(*decode_marker(encode_marker({})), ChainMarker{});
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 4);
    EXPECT_FALSE(decode_marker(other)) << at;
    const bool old = text.substr(0, at).ends_with("made.\n");  // as older versions wrote it
    EXPECT_EQ(decode_marker(text.substr(0, at)).has_value(), old) << at;
  }
}

// A record longer than a block of the log is written in pieces, and those before the torn one are
// whole.
TEST(LevelDbStore, OpensAfterAnyCutOfItsLastRecord) {
  const ScratchFolder scratch;
  std::uintmax_t first = 0;
  {
    auto store = open_leveldb(scratch / "db", Creation::kAllowed);
    WriteBatch batch;
    batch.put("a", "x");
    ASSERT_TRUE((*store)->write(batch, Durability::kSynced));
    first = fs::file_size(only_log(scratch / "db"));
    batch.put("b", std::string(150'000, 'y'));
    ASSERT_TRUE((*store)->write(batch, Durability::kSynced));
  }
  const std::string log = only_log(scratch / "db");
  for (std::uintmax_t size = fs::file_size(log) - 1; size >= first;
       size -= std::min<std::uintmax_t>(size, 4'999)) {
    fs::resize_file(log, size);
    const auto store = open_foreign_leveldb(scratch / "db");
    ASSERT_TRUE(store) << size << ": " << store.error().message;
    EXPECT_TRUE((*store)->get("a")->has_value());
    EXPECT_FALSE((*store)->get("b")->has_value());
  }
}

// ---- writes that fail

TEST(LevelDbStore, IsNotWrittenAfterAWriteThatFailed) {
  const ScratchFolder scratch;
  auto store = open_leveldb(scratch / "db", Creation::kAllowed);
  ASSERT_TRUE(store);
  WriteBatch batch;
  batch.put("a", std::string(1000, 'x'));
  ASSERT_TRUE((*store)->write(batch, Durability::kSynced));
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1500;  // of the log: a part of the next record fits
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status failed = (*store)->write(batch, Durability::kSynced);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(failed);
  const Status after = (*store)->write(batch, Durability::kSynced);
  ASSERT_FALSE(after);
  EXPECT_THAT(after.error().message, HasSubstr("until it is opened anew"));
  store->reset();
  store = open_leveldb(scratch / "db", Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->get("a")->has_value());
}

// ---- folders that a killed process left

TEST(TemporaryFolders, OfKilledProcessesAreRemovedByTheNext) {
  const ScratchFolder scratch;
  const std::string old = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  fs::create_directory(scratch / "bloomery-overlay-left00");
  std::ofstream{scratch / "bloomery-overlay-left00/000005.ldb"} << "left";
  {
    const auto first = TemporaryFolder::make("bloomery-overlay-");
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(fs::exists(scratch / "bloomery-overlay-left00"));
    const auto second = TemporaryFolder::make("bloomery-overlay-");
    ASSERT_TRUE(second);
    EXPECT_TRUE(fs::exists(first->path()));  // it is in use
    EXPECT_EQ(scratch.entries(), 2U);
  }
  EXPECT_EQ(scratch.entries(), 0U);
  old.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
}

}  // namespace
}  // namespace bloomery::ethlog
