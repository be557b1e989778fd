#include "bloomery/formats/leveldb/table.h"

#include "bloomery/base/file.h"
#include "bloomery/hash/crc32c.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

struct GoldenTable {
  std::string name;
  std::string policy;
  nlohmann::json json;
  Bytes file;
  bool database;  // its keys carry sequence and type
};

Bytes golden_file(const std::string& path) {
  auto bytes = read_file(BLOOMERY_GOLDEN_DIR "/formats/" + path, {});
  EXPECT_TRUE(bytes) << bytes.error().message;
  return std::move(*bytes);
}

std::vector<GoldenTable> golden_tables() {
  const auto golden = testing::golden_json("formats/leveldb.json");
  std::vector<GoldenTable> tables;
  for (const auto& one : golden.at("tables"))
    for (const char* writer : {"cpp", "go"}) {
      const std::string path = one.at(std::string{"file_"} + writer);
      if (path.empty()) continue;
      tables.push_back({path, one.at("filter_names").at(writer), one, golden_file(path), false});
    }
  for (const auto& database : golden.at("databases"))
    for (const auto& one : database.at("tables")) {
      const std::string path =
          database.at("dir").get<std::string>() + "/" + one.at("file").get<std::string>();
      tables.push_back({path, one.at("filter_name"), one, golden_file(path), true});
    }
  return tables;
}

GoldenTable golden_table(std::string_view name) {
  for (auto& table : golden_tables())
    if (table.name == name) return table;
  ADD_FAILURE() << name;
  return {};
}

const nlohmann::json& keys_of(const nlohmann::json& data_block) {
  return data_block.contains("keys") ? data_block.at("keys") : data_block.at("user_keys");
}

LevelDbTable decoded(ByteView file) {
  auto table = decode_leveldb_table(file, {});
  EXPECT_TRUE(table) << table.error().message;
  return std::move(*table);
}

std::size_t passing(const LevelDbTable& table, std::size_t absent_keys) {
  std::size_t passed = 0;
  for (std::size_t i = 0; i < absent_keys; ++i)
    if (table.may_contain(bytes_of("key-absent" + std::to_string(i)))) ++passed;
  return passed;
}

// Where the filter block of a table lies, found by its bytes.
std::size_t filter_block_at(const Bytes& file, const LevelDbTable& table) {
  const ByteView contents = table.filters->contents();
  const auto found = std::search(file.begin(), file.end(), contents.begin(), contents.end());
  EXPECT_NE(found, file.end());
  return static_cast<std::size_t>(found - file.begin());
}

TEST(LevelDbTable, GoldenTablesCarryTheirPolicyFiltersAndChecksums) {
  const auto tables = golden_tables();
  ASSERT_EQ(tables.size(), 27U);
  for (const auto& one : tables) {
    SCOPED_TRACE(one.name);
    EXPECT_TRUE(looks_like_leveldb_table(one.file));
    const LevelDbTable table = decoded(one.file);
    EXPECT_EQ(table.policy_name, one.policy);
    EXPECT_TRUE(table.checksums_ok());
    EXPECT_EQ(table.filter_checksum, LevelDbChecksum::kOk);
    ASSERT_TRUE(table.filters) << table.why_no_filters;
    EXPECT_EQ(to_hex(table.filters->contents()),
              one.json.at("filter_block_hex").get<std::string>());
    EXPECT_TRUE(describe(table).has_checksum);
  }
}

TEST(LevelDbTable, GoldenDataBlocksAndTheirKeysAreRead) {
  for (const auto& one : golden_tables()) {
    SCOPED_TRACE(one.name);
    const LevelDbTable table = decoded(one.file);
    const auto& expected = one.json.at("data_blocks");
    ASSERT_GE(table.data_blocks.size(), expected.size());  // goleveldb writes an empty one
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(table.data_blocks[i].handle.offset, expected[i].at("offset").get<std::uint64_t>());
      EXPECT_EQ(table.data_blocks[i].handle.size, expected[i].at("size").get<std::uint64_t>());
      const auto keys = leveldb_keys_of(one.file, table.data_blocks[i].handle, {});
      ASSERT_TRUE(keys) << keys.error().message;
      ASSERT_EQ(keys->size(), keys_of(expected[i]).size());
      for (std::size_t j = 0; j < keys->size(); ++j) {
        const ByteView key = one.database ? leveldb_user_key((*keys)[j]) : ByteView{(*keys)[j]};
        EXPECT_EQ(to_hex(key), keys_of(expected[i])[j].get<std::string>());
      }
    }
  }
}

TEST(LevelDbTable, EveryPresentKeyIsFoundAndFewAbsentOnesAre) {
  for (const auto& one : golden_tables()) {
    SCOPED_TRACE(one.name);
    const LevelDbTable table = decoded(one.file);
    for (const auto& data_block : one.json.at("data_blocks"))
      for (const auto& key : keys_of(data_block))
        EXPECT_TRUE(table.may_contain(from_hex(key.get<std::string>()))) << key;
    const bool one_bit_per_key = one.name.find("bpk1.") != std::string::npos;
    EXPECT_LT(passing(table, 1000), one_bit_per_key ? 900U : 60U);
  }
}

TEST(LevelDbTable, DatabasesAnswerForAllTheirUserKeys) {
  const auto golden = testing::golden_json("formats/leveldb.json");
  for (const auto& database : golden.at("databases")) {
    const std::string dir = database.at("dir");
    const Bytes file =
        golden_file(dir + "/" + database.at("tables").at(0).at("file").get<std::string>());
    const LevelDbTable table = decoded(file);
    EXPECT_TRUE(table.ordered_by_user_keys);
    std::vector<Bytes> keys;
    for (const auto& key : database.at("present_user_keys"))
      keys.push_back(from_hex(key.get<std::string>()));
    const std::vector<ByteView> views{keys.begin(), keys.end()};
    std::vector<std::uint8_t> answers(views.size());
    table.may_contain_batch(views, answers);
    EXPECT_EQ(std::ranges::count(answers, 1), database.at("n_present").get<std::ptrdiff_t>());
    EXPECT_LT(passing(table, 1000), 40U);
  }
}

// LevelDB 1.23 does not verify a filter's checksum and loses all 1000 keys here.
TEST(LevelDbTable, ZeroedFiltersAnswerMaybeForAllKeys) {
  for (const char* name :
       {"leveldb/dec1000.cpp.db/000005.ldb", "leveldb/dec1000.go.db/000004.ldb"}) {
    GoldenTable one = golden_table(name);
    const LevelDbTable before = decoded(one.file);
    const std::size_t at = filter_block_at(one.file, before);
    for (std::size_t i = 0; i < before.filters->filter_count(); ++i) {
      const ByteView filter = before.filters->filter_at(i).value();
      const auto start =
          static_cast<std::size_t>(filter.data() - before.filters->contents().data());
      std::fill_n(one.file.begin() + static_cast<std::ptrdiff_t>(at + start), filter.size() - 1,
                  std::byte{0});
    }
    const LevelDbTable table = decoded(one.file);
    EXPECT_EQ(table.filter_checksum, LevelDbChecksum::kMismatch);
    EXPECT_FALSE(table.checksums_ok());
    for (const auto& data_block : one.json.at("data_blocks"))
      for (const auto& key : keys_of(data_block))
        EXPECT_TRUE(table.may_contain(from_hex(key.get<std::string>())));
    EXPECT_EQ(passing(table, 100), 100U);
    EXPECT_EQ(table.health().error_rate, 1);
    const Description description = describe(table);
    EXPECT_FALSE(description.has_checksum);
    EXPECT_NE(description.notes.at(1).find("checksum of the filter block is wrong"),
              std::string::npos);
  }
}

TEST(LevelDbTable, ADamagedIndexLeavesAllFiltersToAsk) {
  GoldenTable one = golden_table("leveldb/t-default.cpp.ldb");
  ByteReader footer{ByteView{one.file}.last(48)};
  ASSERT_TRUE(read_handle(footer));
  const auto index = read_handle(footer);
  ASSERT_TRUE(index);
  one.file[index->offset] ^= std::byte{1};
  const LevelDbTable table = decoded(one.file);
  EXPECT_EQ(table.index_checksum, LevelDbChecksum::kMismatch);
  for (const auto& data_block : one.json.at("data_blocks"))
    for (const auto& key : keys_of(data_block))
      EXPECT_TRUE(table.may_contain(from_hex(key.get<std::string>())));
  EXPECT_LT(passing(table, 1000), 300U);
  EXPECT_GT(table.health().error_rate, decoded(golden_table(one.name).file).health().error_rate);
}

TEST(LevelDbTable, OlderPolicyNameDoesNotDenyAKeyWithAHighByteAtItsEnd) {
  LevelDbTable go = decoded(golden_table("leveldb/t-default.go.ldb").file);
  const LevelDbTable cpp = decoded(golden_table("leveldb/t-default.cpp.ldb").file);
  std::vector<Bytes> absent;  // five bytes: the last one is the tail
  for (unsigned i = 0; i < 100; ++i) {
    absent.push_back(from_hex("6b65792dff"));
    absent.back()[3] = static_cast<std::byte>(i);
  }
  const auto count = [&](const LevelDbTable& table) {
    return std::ranges::count_if(absent, [&](const Bytes& key) { return table.may_contain(key); });
  };
  EXPECT_EQ(count(go), 100);
  EXPECT_LT(count(cpp), 20);
  EXPECT_EQ(describe(go).notes.size(), 2U);
  for (const auto writer : {LevelDbWriter::kUnsignedTail, LevelDbWriter::kSignedTail}) {
    go.writer = writer;
    EXPECT_LT(count(go), 20);
    EXPECT_EQ(describe(go).notes.size(), 1U);
  }
}

TEST(LevelDbTable, HighBytesThatFillWholeWordsAreNoReasonForDoubt) {
  const LevelDbTable go = decoded(golden_table("leveldb/t-words.go.ldb").file);
  std::size_t denied = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const Bytes key{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, static_cast<std::byte>(i)};
    if (!go.may_contain(key)) ++denied;
  }
  EXPECT_GT(denied, 90U);
}

// An index of its own order must not make a key vanish.
TEST(LevelDbTable, AnIndexInAnotherOrderIsNotSearched) {
  GoldenTable one = golden_table("leveldb/t-default.cpp.ldb");
  LevelDbTable table = decoded(one.file);
  EXPECT_TRUE(table.ordered_by_stored_keys);
  EXPECT_FALSE(table.ordered_by_user_keys);
  table.ordered_by_stored_keys = false;
  std::ranges::reverse(table.data_blocks);
  for (const auto& data_block : one.json.at("data_blocks"))
    for (const auto& key : keys_of(data_block))
      EXPECT_TRUE(table.may_contain(from_hex(key.get<std::string>())));
}

TEST(LevelDbTable, RefusesWhatIsNoTable) {
  Bytes file = golden_table("leveldb/t-words.cpp.ldb").file;
  EXPECT_EQ(decode_leveldb_table(ByteView{file}.first(47), {}).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(decode_leveldb_table(ByteView{file}.first(100), {}).error().code,
            ErrorCode::kMalformed);
  EXPECT_FALSE(looks_like_leveldb_table(ByteView{file}.first(100)));
  Bytes footer(48);
  EXPECT_EQ(decode_leveldb_table(footer, {}).error().code, ErrorCode::kMalformed);
  // Two handles of the longest numbers fill all forty bytes before the last eight.
  std::fill_n(footer.begin(), 40, std::byte{0x80});
  for (const std::size_t end : {9U, 19U, 29U, 39U}) footer[end] = std::byte{1};
  store_le(footer.data() + 40, std::uint64_t{0xdb4775248b80fb57});
  EXPECT_TRUE(looks_like_leveldb_table(footer));
  EXPECT_EQ(decode_leveldb_table(footer, {}).error().message,
            message("a block of ", std::uint64_t{1} << 63, " bytes at byte ",
                    std::uint64_t{1} << 63, " would lie outside the table of 48 bytes"));
}

TEST(LevelDbTable, BlocksBeyondTheLimitAreRefused) {
  const Bytes file = golden_table("leveldb/dec1000.cpp.db/000005.ldb").file;
  DecodeOptions options;
  options.limits.max_bytes = 300;
  EXPECT_EQ(decode_leveldb_table(file, options).error().code, ErrorCode::kTooLarge);
}

// Three bytes of an entry may repeat a long key: the expansion is counted, not believed.
TEST(LevelDbTable, SharedPrefixesCannotExplodeTheIndex) {
  Bytes index = from_hex("00904e02");  // 10,000 own bytes, a value of two
  index.resize(index.size() + 10'000);
  index.insert(index.end(), 2, std::byte{1});
  for (int i = 0; i < 10'000; ++i) {
    const Bytes entry = from_hex("904e00020101");
    index.insert(index.end(), entry.begin(), entry.end());
  }
  const Bytes restarts = from_hex("0000000001000000");
  index.insert(index.end(), restarts.begin(), restarts.end());
  const auto stored = [](Bytes block) {
    block.push_back(std::byte{0});
    const std::uint32_t crc = crc32c(block);
    const std::uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
    block.resize(block.size() + 4);
    store_le(block.data() + block.size() - 4, masked);
    return block;
  };
  Bytes file = stored(restarts);
  const Bytes stored_index = stored(index);
  file.insert(file.end(), stored_index.begin(), stored_index.end());
  Bytes footer(48);
  const Bytes handles = from_hex(
      "0008"
      "0d"
      "9eaa04");
  std::ranges::copy(handles, footer.begin());
  ASSERT_EQ(index.size(), 4 + 10'000 + 2 + 60'000 + 8U);
  const std::uint64_t size = index.size();
  footer[3] = static_cast<std::byte>(size | 0x80);
  footer[4] = static_cast<std::byte>(size >> 7 | 0x80);
  footer[5] = static_cast<std::byte>(size >> 14);
  store_le(footer.data() + 40, std::uint64_t{0xdb4775248b80fb57});
  file.insert(file.end(), footer.begin(), footer.end());
  DecodeOptions options;
  options.limits.max_bytes = 1 << 20;
  const auto table = decode_leveldb_table(file, options);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kTooLarge) << table.error().message;
}

TEST(LevelDbTable, SurvivesHostileBytesAtBothEnds) {
  for (const char* name : {"leveldb/t-words.cpp.ldb", "leveldb/one.go.db/000004.ldb"}) {
    Bytes file = golden_table(name).file;
    const auto decode = [](ByteView bytes) {
      DecodeOptions options;
      options.limits.max_bytes = 1 << 20;
      return decode_leveldb_table(bytes, options);
    };
    const auto ask = [](const LevelDbTable& table) {
      (void)table.may_contain(bytes_of("a key"));
      (void)describe(table);
    };
    testing::survive_hostile_bytes(file, decode, ask);
    // The structure of a table is at its end, so the same again counted from there.
    for (std::size_t back = 1; back <= 120 && back <= file.size(); ++back)
      for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
        Bytes bad = file;
        bad[bad.size() - back] = static_cast<std::byte>(value);
        testing::survive(bad, decode, ask);
      }
  }
}

}  // namespace
}  // namespace bloomery
