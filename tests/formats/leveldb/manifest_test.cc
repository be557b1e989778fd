#include "bloomery/formats/leveldb/manifest.h"

#include "bloomery/base/file.h"
#include "tests/formats/hostile.h"
#include "tests/formats/leveldb_log_writer.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::LogWriter;
using testing::put_prefixed;
using testing::put_varint;

Bytes golden_manifest(const std::string& path) {
  const auto folder = std::filesystem::path{BLOOMERY_GOLDEN_DIR} / "formats/leveldb";
  auto bytes = read_file(folder / path, {});
  EXPECT_TRUE(bytes) << path;
  return std::move(*bytes);
}

const std::string kEnd = std::string("\1\0\0\0\0\0\0\0", 8);  // sequence and type of a key

Bytes first_edit(std::string_view comparator = kLevelDbBytewiseComparator) {
  ByteWriter edit;
  put_varint(edit, 1);
  put_prefixed(edit, comparator);
  for (const int tag : {2, 9, 3, 4}) {  // log, log before, next file, last sequence
    put_varint(edit, static_cast<std::uint64_t>(tag));
    put_varint(edit, static_cast<std::uint64_t>(tag) * 10);
  }
  return edit.take();
}

void put_table(ByteWriter& edit, std::uint64_t level, std::uint64_t number) {
  put_varint(edit, 7);
  put_varint(edit, level);
  put_varint(edit, number);
  put_varint(edit, 1000);
  put_prefixed(edit, "a" + kEnd);
  put_prefixed(edit, "z" + kEnd);
}
Bytes new_table(std::uint64_t level, std::uint64_t number) {
  ByteWriter edit;
  put_table(edit, level, number);
  return edit.take();
}

Result<LevelDbManifest> decoded(const std::vector<Bytes>& edits) {
  LogWriter log;
  for (const Bytes& edit : edits) log.add(edit);
  return decode_leveldb_manifest(log.file(), {1 << 20});
}

TEST(LevelDbManifest, GoldenManifestsNameTheTableOfTheirDatabase) {
  const auto cpp = decode_leveldb_manifest(golden_manifest("dec1000.cpp.db/MANIFEST-000002"), {});
  ASSERT_TRUE(cpp) << cpp.error().message;
  EXPECT_TRUE(cpp->is_bytewise());
  EXPECT_EQ(cpp->log_number, 4U);
  EXPECT_EQ(cpp->next_file_number, 6U);
  EXPECT_EQ(cpp->last_sequence, 1000U);
  ASSERT_EQ(cpp->tables.size(), 1U);
  EXPECT_EQ(cpp->tables[0].level, 2U);
  EXPECT_EQ(cpp->tables[0].number, 5U);
  EXPECT_EQ(cpp->tables[0].file_bytes, 12038U);
  EXPECT_EQ(text_of(ByteView{cpp->tables[0].smallest}.first(5)), "key-0");
  EXPECT_EQ(text_of(ByteView{cpp->tables[0].largest}.first(7)), "key-999");
  const auto go = decode_leveldb_manifest(golden_manifest("dec1000.go.db/MANIFEST-000000"), {});
  ASSERT_TRUE(go) << go.error().message;
  ASSERT_EQ(go->tables.size(), 1U);  // its last edit moves the one table to another level
  EXPECT_EQ(go->tables[0].level, 1U);
  EXPECT_EQ(go->tables[0].number, 4U);
}

TEST(LevelDbManifest, EditsAddAndDeleteTables) {
  ByteWriter moved;
  put_varint(moved, 6);
  put_varint(moved, 0);
  put_varint(moved, 7);
  put_table(moved, 1, 7);
  const auto manifest = decoded({first_edit(), new_table(0, 7), new_table(0, 9), moved.take()});
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->edits, 4U);
  ASSERT_EQ(manifest->tables.size(), 2U);
  EXPECT_EQ(manifest->tables[0].number, 9U);
  EXPECT_EQ(manifest->tables[1].level, 1U);
  EXPECT_NE(manifest->find_table(7), nullptr);
  EXPECT_EQ(manifest->find_table(8), nullptr);
  EXPECT_TRUE(manifest->needs_log(20));
  EXPECT_TRUE(manifest->needs_log(90));  // the log before
  EXPECT_FALSE(manifest->needs_log(19));
}

TEST(LevelDbManifest, AnEditThatWasNeverFinishedIsLeftOutAsByLevelDb) {
  LogWriter log;
  log.add(first_edit());
  const std::size_t whole = log.file().size();
  log.add(new_table(0, 7));
  for (std::size_t size = whole; size < log.file().size(); ++size) {
    const auto manifest = decode_leveldb_manifest(ByteView{log.file()}.first(size), {});
    ASSERT_TRUE(manifest) << size;
    EXPECT_TRUE(manifest->tables.empty());
    EXPECT_EQ(manifest->torn_bytes, size - whole);
  }
}

TEST(LevelDbManifest, DamageIsRefusedBecauseTheWrongTablesWouldRemain) {
  LogWriter log;
  log.add(first_edit());
  log.add(new_table(0, 7));
  log.add(new_table(0, 8));
  for (const std::size_t at : {std::size_t{20}, log.file().size() - 20}) {
    Bytes file = log.file();
    file[at] ^= std::byte{4};
    const auto manifest = decode_leveldb_manifest(file, {});
    ASSERT_FALSE(manifest) << at;
    EXPECT_EQ(manifest.error().code, ErrorCode::kMalformed);
    EXPECT_NE(manifest.error().message.find("damaged"), std::string::npos);
  }
}

TEST(LevelDbManifest, FieldsThatContradictTheFormatAreRefused) {
  EXPECT_FALSE(decoded({}));
  EXPECT_FALSE(decoded({new_table(0, 7)}));  // it never says the next file
  EXPECT_FALSE(decoded({first_edit(), new_table(64, 7)}));
  EXPECT_TRUE(decoded({first_edit(), new_table(63, 7)}));
  EXPECT_FALSE(decoded({first_edit(), testing::from_hex("08")}));
  EXPECT_FALSE(decoded({first_edit(), testing::from_hex("8108")}));              // 1025, not 1
  EXPECT_FALSE(decoded({first_edit(), testing::from_hex("0700010102000000")}));  // short key
  Bytes cut = new_table(0, 7);
  cut.pop_back();
  EXPECT_FALSE(decoded({first_edit(), cut}));
}

TEST(LevelDbManifest, ItsTablesObeyTheMemoryLimit) {
  LogWriter log;
  log.add(first_edit());
  for (std::uint64_t i = 0; i < 1000; ++i) log.add(new_table(0, i));
  EXPECT_TRUE(decode_leveldb_manifest(log.file(), {1 << 20}));
  const auto refused = decode_leveldb_manifest(log.file(), {1 << 14});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
}

TEST(LevelDbManifest, HostileBytesAreSurvived) {
  const auto use = [](const LevelDbManifest& manifest) { (void)manifest.find_table(5); };
  testing::survive_hostile_bytes(
      golden_manifest("dec1000.go.db/MANIFEST-000000"),
      [](ByteView bytes) { return decode_leveldb_manifest(bytes, {1 << 20}); }, use, 127);
  // Under right checksums too.
  testing::survive_hostile_bytes(
      new_table(1, 300),
      [](ByteView bytes) {
        return decoded({first_edit(), Bytes{bytes.begin(), bytes.end()}});
      },
      use, 1);
}

}  // namespace
}  // namespace bloomery
