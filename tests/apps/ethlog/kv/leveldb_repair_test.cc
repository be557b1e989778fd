// Damaged LevelDB files of a chain folder: what can be read is kept, nothing wrong is made of the
// rest, and the blocks that are gone can be imported again.
#include <gmock/gmock.h>

#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "tests/apps/ethlog/index/adaptive/damaged_folders.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<fs::path> files_of(const fs::path& folder, std::string_view ending) {
  auto files = files_below(folder);
  std::erase_if(files, [&](const fs::path& file) { return file.extension() != ending; });
  return files;
}

void overwrite(const fs::path& file, std::size_t at, const std::string& bytes) {
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekp(static_cast<std::streamoff>(at));
  stream << bytes;
}

// A repaired folder takes the blocks again, and is then as if nothing had happened.
void expect_repairable(const fs::path& folder) {
  if (const auto opened = ChainStore::open(folder, Creation::kMustExist); !opened) {
    EXPECT_THAT(opened.error().message, HasSubstr("--repair"));
  }
  {
    auto store = ChainStore::open_to_repair(folder);
    ASSERT_TRUE(store) << store.error().message;
  }
  auto store = ChainStore::open(folder, Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  add_all(*store, sample());
  ASSERT_TRUE(store->sync());
  EXPECT_THAT(store->lost(), IsEmpty());
  EXPECT_EQ(store->counts().blocks, kBlocks);
  // Sections of an index that were in the damaged table are made anew; blocks are not.
  const auto mended = verify_chain(store->reader(), &*store);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_EQ(mended->problems, mended->repaired) << ::testing::PrintToString(mended->messages);
  const auto report = verify_chain(store->reader(), nullptr);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->problems, 0U) << ::testing::PrintToString(report->messages);
}

class LevelDbRepair : public ::testing::Test {
 protected:
  void copy_folder() {
    fs::remove_all(copy_);
    fs::copy(folder_, copy_, fs::copy_options::recursive);
  }
  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_ / "chain";
  const fs::path copy_ = scratch_ / "copy";
};

// LevelDB's own repair does not look at the checksums of logs: it took such bytes for blocks, or
// aborted.
TEST_F(LevelDbRepair, OfSectorsThatNeverReachedTheDiskMakesNoWrongBlocks) {
  {
    auto store = ChainStore::open(folder_, Creation::kAllowed);
    add_all(*store, sample());
    ASSERT_TRUE(store->sync());
  }
  const fs::path log = files_of(folder_, ".log").front();
  const std::size_t sectors = fs::file_size(log) / 512;
  ASSERT_GT(sectors, 64U) << "more than one block of the log";
  for (std::size_t sector = 0; sector < sectors; sector += 7) {
    SCOPED_TRACE(sector);
    copy_folder();
    overwrite(copy_ / log.filename(), sector * 512, std::string(512, '\0'));
    ASSERT_NO_FATAL_FAILURE(expect_repairable(copy_));
    EXPECT_TRUE(fs::exists(copy_ / "lost" / (log.filename().string() + ".damaged")));
  }
}

TEST_F(LevelDbRepair, OfALogThatHoldsEverythingTwiceKeepsItOnce) {
  {
    auto store = ChainStore::open(folder_, Creation::kAllowed);
    add_all(*store, sample());
    ASSERT_TRUE(store->sync());
  }
  const fs::path log = files_of(folder_, ".log").front();
  // Whole blocks of the log, or the second half would only be bytes that do not verify.
  const std::size_t whole = fs::file_size(log) / 32768 * 32768;
  ASSERT_GT(whole, 0U);
  std::string bytes(whole, '\0');
  std::ifstream{log, std::ios::binary}.read(bytes.data(), static_cast<std::streamsize>(whole));
  fs::resize_file(log, whole);
  std::ofstream{log, std::ios::app | std::ios::binary} << bytes;
  ASSERT_FALSE(ChainStore::open(folder_, Creation::kMustExist));
  expect_repairable(folder_);
}

// Every table: which records are in which depends on when LevelDB's thread compacted them.
TEST_F(LevelDbRepair, OfATableWithAWrongByteKeepsItsOtherBlocks) {
  make_folder(folder_);
  for (const fs::path& table : files_of(folder_, ".ldb")) {
    const std::size_t bytes = fs::file_size(table);
    for (std::size_t at = 100; at < bytes; at += bytes / 5) {
      SCOPED_TRACE(::testing::Message() << table.filename() << " at " << at);
      copy_folder();
      overwrite(copy_ / table.filename(), at, "damage");
      ASSERT_NO_FATAL_FAILURE(expect_repairable(copy_));
    }
  }
}

// The record may have been in the damaged part of a table. Sections say their size themselves.
TEST_F(LevelDbRepair, OfAStoreWithoutTheSizeOfItsSectionsFindsItInThem) {
  for (const IndexesThere dropped :
       {IndexesThere{}, IndexesThere{.bloombits = true}, IndexesThere{.adaptive = true}}) {
    fs::remove_all(folder_);
    make_folder(folder_);
    auto store = ChainStore::open(folder_, Creation::kMustExist);
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE(drop_indexes(store->store(), dropped));
    WriteBatch batch;
    batch.remove(kSectionSizeKey);
    ASSERT_TRUE(store->store().write(batch, Durability::kSynced));
    const auto found = verify_chain(store->reader(), nullptr);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_GE(found->problems, 1U);
    EXPECT_EQ(found->messages.front(), "the store does not record that a section has 16 blocks");
    const auto mended = verify_chain(store->reader(), &*store);
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_EQ(mended->repaired, 1U);
    EXPECT_EQ(mended->problems, 1U) << ::testing::PrintToString(mended->messages);
    EXPECT_EQ(mended->sections, dropped.bloombits || dropped.adaptive ? 4U : 8U);
    EXPECT_EQ(*store->section_size(), 16U);
    const auto after = verify_chain(store->reader(), nullptr);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->problems, 0U) << ::testing::PrintToString(after->messages);
    EXPECT_EQ(after->sections, mended->sections);
  }
}

TEST_F(LevelDbRepair, OfACurrentFileThatIsLongIsOfferedAsForAnyDamage) {
  make_folder(folder_);
  std::ofstream{folder_ / "CURRENT", std::ios::app} << std::string(5000, 'x');
  const auto refused = ChainStore::open(folder_, Creation::kMustExist);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  expect_repairable(folder_);
}

// LevelDB opens tables when they are first asked, and answers "not found" where the file is gone.
TEST_F(LevelDbRepair, ATableThatIsGoneIsNoAbsentKey) {
  make_folder(folder_);
  auto store = open_leveldb(folder_, Creation::kMustExist);
  ASSERT_TRUE(store) << store.error().message;
  for (const fs::path& table : files_of(folder_, ".ldb")) fs::remove(table);
  std::size_t refused = 0;
  std::size_t absent = 0;
  for (std::uint64_t number = 0; number < kBlocks; ++number) {
    const auto hash = (*store)->get(canonical_hash_key(number));
    refused += hash ? 0 : 1;
    absent += hash && !*hash ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(absent, 0U);
}

}  // namespace
}  // namespace bloomery::ethlog
