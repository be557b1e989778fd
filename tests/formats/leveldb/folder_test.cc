// Folders of databases made by hand: what is read of them, what is left out and what is an error.
#include "bloomery/formats/leveldb/folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "bloomery/formats/leveldb/database.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/golden.h"
#include "tests/formats/leveldb_log_writer.h"

namespace bloomery {
namespace {

using testing::batch_of;
using testing::LogWriter;
using testing::put_prefixed;
using testing::put_varint;

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::binary} << text;
}
void write_log(const std::filesystem::path& path, const std::string& key) {
  LogWriter log;
  log.add(batch_of({{key, true}}));
  write(path, text_of(log.file()));
}

// A database without tables whose logs from number 5 on hold keys.
void write_manifest(const ScratchFolder& folder, std::string_view name = "MANIFEST-000002") {
  ByteWriter edit;
  put_varint(edit, 1);
  put_prefixed(edit, kLevelDbBytewiseComparator);
  for (const auto& [tag, number] : {std::pair{2U, 5U}, {3U, 9U}, {4U, 1U}}) {
    put_varint(edit, tag);
    put_varint(edit, number);
  }
  LogWriter log;
  log.add(edit.take());
  write(folder / std::string{name}, text_of(log.file()));
  write(folder / "CURRENT", std::string{name} + "\n");
}

TEST(LevelDbFolder, OnlyLogsThatTheManifestNeedsAreReadInTheOrderOfTheirNumbers) {
  const ScratchFolder folder;
  write_manifest(folder);
  for (const char* name : {"000004.log", "000012.log", "000005.log", "x.log", "7x.log", "LOG"})
    write_log(folder / name, name);
  const auto read = read_leveldb_folder(folder.path(), {});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->logs.size(), 2U);
  EXPECT_EQ(read->logs[0].number, 5U);
  EXPECT_EQ(read->logs[1].number, 12U);
  EXPECT_TRUE(read->logs[1].may_contain(bytes_of("000012.log")));
  EXPECT_EQ(read->manifest_name, "MANIFEST-000002");
  EXPECT_EQ(read->manifest_bytes, std::filesystem::file_size(folder / "MANIFEST-000002"));
}

// Its keys would all be denied.
TEST(LevelDbFolder, ALogThatIsThereAndCannotBeReadIsAnError) {
  const ScratchFolder folder;
  write_manifest(folder);
  std::filesystem::create_directory(folder / "000005.log");
  EXPECT_EQ(read_leveldb_folder(folder.path(), {}).error().code, ErrorCode::kIo);
  std::filesystem::remove(folder / "000005.log");
  write(folder / "000005.log", std::string(5000, 'x'));
  EXPECT_EQ(read_leveldb_folder(folder.path(), {4999}).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(read_leveldb_folder(folder.path(), {5000}));
}

TEST(LevelDbFolder, ALogThatIsGoneByTheTimeItIsReadIsLeftOut) {
  const ScratchFolder folder;
  write_manifest(folder);
  std::filesystem::create_symlink("nowhere", folder / "000005.log");
  write_log(folder / "000006.log", "key");
  const auto read = read_leveldb_folder(folder.path(), {});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->logs.size(), 1U);
  EXPECT_EQ(read->logs[0].number, 6U);
}

TEST(LevelDbFolder, ALogTooLargeForTheLimitIsNamed) {
  const ScratchFolder folder;
  write_manifest(folder);
  LogWriter log;
  for (int i = 0; i < 100; ++i) log.add(batch_of({{std::to_string(i), true}}));
  write(folder / "000005.log", text_of(log.file()));
  const auto refused = read_leveldb_folder(folder.path(), {log.file().size()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(refused.error().message.find("000005.log: the keys of the log"), std::string::npos);
}

TEST(LevelDbFolder, AManifestThatIsMissingOrDamagedIsNamed) {
  const ScratchFolder folder;
  write(folder / "CURRENT", "MANIFEST-000007\n");
  const auto missing = read_leveldb_folder(folder.path(), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_NE(missing.error().message.find("MANIFEST-000007"), std::string::npos);
  write(folder / "MANIFEST-000007", "");
  const auto empty = read_leveldb_folder(folder.path(), {});
  EXPECT_EQ(empty.error().code, ErrorCode::kTruncated);
  EXPECT_NE(empty.error().message.find("MANIFEST-000007: "), std::string::npos);
}

TEST(LevelDbFolder, ACurrentHasTwoHundredAndFiftySixBytesAtMost) {
  const ScratchFolder folder;
  write_manifest(folder, "MANIFEST-" + std::string(245, '0') + "2");  // 255, and the end of line
  EXPECT_TRUE(read_leveldb_folder(folder.path(), {}));
  write(folder / "CURRENT", "MANIFEST-" + std::string(247, '0') + "\n");
  EXPECT_EQ(read_leveldb_folder(folder.path(), {}).error().code, ErrorCode::kMalformed);
  std::filesystem::remove(folder / "CURRENT");
  std::filesystem::create_directory(folder / "CURRENT");
  EXPECT_EQ(read_leveldb_folder(folder.path(), {}).error().code, ErrorCode::kIo);
}

TEST(LevelDbFolder, TableFilesAreListedByNumberAndTheNewerEndingComesFirst) {
  const ScratchFolder folder;
  write_manifest(folder);
  for (const char* name : {"000011.sst", "000003.sst", "000003.ldb", "000010.ldb"})
    write(folder / name, name);
  for (const char* name : {"x.ldb", ".ldb", "000004.tmp", "-5.ldb", "18446744073709551616.ldb"})
    write(folder / name, name);
  std::filesystem::create_symlink("nowhere", folder / "000012.ldb");
  const auto read = read_leveldb_folder(folder.path(), {});
  ASSERT_TRUE(read) << read.error().message;
  std::vector<std::string> names;
  for (const LevelDbTableFile& file : read->table_files) names.push_back(file.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"000003.ldb", "000003.sst", "000010.ldb", "000011.sst"}));
  EXPECT_EQ(read->find_file(3)->name, "000003.ldb");
  EXPECT_EQ(read->find_file(11)->bytes, 10U);
  EXPECT_EQ(read->find_file(4), nullptr);
  EXPECT_EQ(read->find_file(12), nullptr);
}

TEST(LevelDbFolder, TablesAreReadAgainAndLogsStayAsTheyWere) {
  const ScratchFolder folder;
  write_manifest(folder);
  write_log(folder / "000005.log", "key");
  auto read = read_leveldb_folder(folder.path(), {});
  ASSERT_TRUE(read) << read.error().message;
  read->logs.push_back(read->logs[0]);
  read->logs.back().number = 4;  // which the manifest does without
  write(folder / "000003.ldb", "");
  write_log(folder / "000006.log", "another");
  ASSERT_TRUE(reread_leveldb_tables(*read, {}));
  EXPECT_EQ(read->table_files.size(), 1U);
  ASSERT_EQ(read->logs.size(), 1U);
  EXPECT_EQ(read->logs[0].number, 5U);
}

TEST(LevelDbFolder, ATableOpenedAloneHasNeitherLevelNorNumber) {
  const auto database =
      LevelDbDatabase::open(BLOOMERY_GOLDEN_DIR "/formats/leveldb/dec1000.cpp.db/000005.ldb", {});
  ASSERT_TRUE(database) << database.error().message;
  ASSERT_EQ(database->tables().size(), 1U);
  EXPECT_EQ(database->tables()[0].level, std::nullopt);
  EXPECT_EQ(database->tables()[0].number, 0U);
  EXPECT_EQ(database->tables()[0].name, "000005.ldb");
  EXPECT_TRUE(database->may_contain(bytes_of("key-0")));
}

// Of level 0 every table that overlaps is asked, of each level below one.
TEST(LevelDbFolder, TheCostOfAnAbsentKeyIsThatOfTheTablesItIsAskedFrom) {
  const ByteView a = bytes_of("a");
  const ByteView f = bytes_of("f");
  const ByteView k = bytes_of("k");
  const ByteView z = bytes_of("z");
  const LevelDbTableCost tables[] = {
      {0, 0.02, 10, a, k},  {0, 0.03, 10, f, z},  {0, 0.01, 10, z, z},
      {2, 0.01, 100, a, f}, {2, 0.05, 300, k, z},
  };
  const auto level_0 = cost_of_absent_get(std::span{tables}.first(3), true);
  EXPECT_NEAR(level_0.wasted_reads, 0.02 + 0.03, 1e-12);  // where f begins
  EXPECT_NEAR(level_0.maybe_rate, 1 - 0.98 * 0.97, 1e-12);
  const auto level_2 = cost_of_absent_get(std::span{tables}.last(2), true);
  EXPECT_NEAR(level_2.wasted_reads, (100 * 0.01 + 300 * 0.05) / 400, 1e-12);  // as many keys
  EXPECT_NEAR(level_2.maybe_rate, 0.04, 1e-12);
  const auto both = cost_of_absent_get(tables, true);
  EXPECT_NEAR(both.wasted_reads, 0.05 + 0.04, 1e-12);
  EXPECT_NEAR(both.maybe_rate, 1 - 0.98 * 0.97 * 0.96, 1e-12);
  const auto any_order = cost_of_absent_get(tables, false);
  EXPECT_NEAR(any_order.wasted_reads, 0.12, 1e-12);
  EXPECT_NEAR(any_order.maybe_rate, 1 - 0.98 * 0.97 * 0.99 * 0.99 * 0.95, 1e-12);
  EXPECT_EQ(cost_of_absent_get({}, true).wasted_reads, 0);
  EXPECT_EQ(cost_of_absent_get({}, true).maybe_rate, 0);
  const LevelDbTableCost without_keys[] = {{1, 0.5, 0, a, f}, {1, 0.1, 3, k, z}};
  EXPECT_NEAR(cost_of_absent_get(without_keys, true).wasted_reads, 0.8 / 4, 1e-12);
}

}  // namespace
}  // namespace bloomery
