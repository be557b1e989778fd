#include "bloomery/formats/leveldb/audit.h"

#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;

Bytes golden_file(const std::string& name) {
  auto bytes = read_file(BLOOMERY_GOLDEN_DIR "/formats/" + name, {});
  EXPECT_TRUE(bytes) << name;
  return std::move(*bytes);
}

LevelDbTable decoded(ByteView file) {
  auto table = decode_leveldb_table(file, {});
  EXPECT_TRUE(table) << table.error().message;
  return std::move(*table);
}

LevelDbAudit audited(ByteView file, bool of_database = false) {
  LevelDbAuditOptions options;
  options.of_database = of_database;
  options.bytewise = of_database;
  return audit_leveldb_table(file, decoded(file), options);
}

// Rewrites the filter block of a table by change(contents), and its checksum if asked for.
template <class Change>
Bytes with_filters(const Bytes& good, bool right_checksum, Change change) {
  Bytes file = good;
  const LevelDbHandle handle = *decoded(good).filter_handle;
  const ByteSpan contents = ByteSpan{file}.subspan(handle.offset, handle.size);
  change(contents);
  if (right_checksum)
    store_le(contents.data() + handle.size + 1,
             leveldb_checksum(ByteView{file}.subspan(handle.offset, handle.size + 1)));
  return file;
}

// Sets all bits of all filters to zero, and keeps the number of probes.
void zero_filters(const LevelDbTable& table, ByteSpan contents) {
  for (std::size_t i = 0; i < table.filters->filter_count(); ++i) {
    const ByteView filter = *table.filters->filter_at(i);
    const auto at = static_cast<std::size_t>(filter.data() - table.filters->contents().data());
    if (!filter.empty()) std::ranges::fill(contents.subspan(at, filter.size() - 1), std::byte{0});
  }
}

TEST(LevelDbAudit, GoldenTablesDenyNoneOfTheirKeys) {
  const auto golden = testing::golden_json("formats/leveldb.json");
  std::size_t tables = 0;
  for (const auto& one : golden.at("tables"))
    for (const char* writer : {"file_cpp", "file_go"}) {
      if (one.at(writer).get<std::string>().empty()) continue;
      SCOPED_TRACE(one.at(writer));
      const LevelDbAudit audit = audited(golden_file(one.at(writer)));
      std::size_t keys = 0;
      for (const auto& block : one.at("data_blocks")) keys += block.at("keys").size();
      EXPECT_EQ(audit.keys, keys);
      EXPECT_EQ(audit.denied_keys, 0U);
      EXPECT_EQ(audit.damaged_blocks, 0U);
      EXPECT_LE(audit.fewest_keys, audit.most_keys);
      EXPECT_NE(audit.writer, LevelDbWriter::kSignedTail);
      ++tables;
    }
  EXPECT_EQ(tables, 23U);
}

TEST(LevelDbAudit, TablesOfDatabasesAreReadByUserKeysWhetherToldOrNot) {
  for (const char* name : {"leveldb/dec1000.cpp.db/000005.ldb", "leveldb/dec1000.go.db/000004.ldb"})
    for (const bool told : {false, true}) {
      const LevelDbAudit audit = audited(golden_file(name), told);
      EXPECT_TRUE(audit.user_keys);
      EXPECT_EQ(audit.keys, 1000U);
      EXPECT_EQ(audit.deletions, 0U);
      EXPECT_EQ(audit.denied_keys, 0U);
      EXPECT_EQ(audit.keys_out_of_order, 0U);
    }
}

// LevelDB 1.23 does not verify a filter's checksum, and loses all 1000 keys here.
TEST(LevelDbAudit, ZeroedFiltersDenyEveryKeyWhateverTheirChecksum) {
  const Bytes good = golden_file("leveldb/dec1000.cpp.db/000005.ldb");
  const LevelDbTable table = decoded(good);
  for (const bool right_checksum : {false, true}) {
    const Bytes bad = with_filters(good, right_checksum,
                                   [&](ByteSpan contents) { zero_filters(table, contents); });
    const LevelDbAudit audit = audited(bad, true);
    EXPECT_EQ(audit.denied_keys, 1000U);
    EXPECT_EQ(audit.filters_fail_checksum, !right_checksum);
    EXPECT_EQ(text_of(audit.first_denied), "key-0");
    EXPECT_EQ(audit.first_denied_block, 0U);
  }
}

TEST(LevelDbAudit, OneClearedBitIsFound) {
  const Bytes good = golden_file("leveldb/dec1000.go.db/000004.ldb");
  const Bytes bad = with_filters(good, true, [](ByteSpan contents) {
    auto& byte = *std::ranges::find_if(contents, [](std::byte b) { return b != std::byte{0}; });
    byte &= byte ^ std::byte{1} << std::countr_zero(static_cast<unsigned>(byte));
  });
  const LevelDbAudit audit = audited(bad, true);
  EXPECT_GT(audit.denied_keys, 0U);
  EXPECT_LT(audit.denied_keys, 60U);
}

// Filters of LevelDB before 1.18 carry goleveldb's name and hash high bytes otherwise.
TEST(LevelDbAudit, TheKeysShowWhichWriterHashedThem) {
  const Bytes by_go = golden_file("leveldb/t-tails-bpk16.go.ldb");
  EXPECT_EQ(audited(by_go).writer, LevelDbWriter::kUnsignedTail);
  const LevelDbTable table = decoded(by_go);
  const Bytes by_old = with_filters(by_go, true, [&](ByteSpan contents) {
    zero_filters(table, contents);
    for (const LevelDbDataBlock& block : table.data_blocks) {
      const auto keys = leveldb_keys_of(by_go, block.handle, {});
      if (keys->empty()) continue;
      const auto i = static_cast<std::size_t>(block.handle.offset >> table.filters->base_lg());
      const ByteView filter = *table.filters->filter_at(i);
      const auto at = static_cast<std::size_t>(filter.data() - table.filters->contents().data());
      const Shape shape = leveldb_shape_of(filter);
      for (const auto& key : *keys) {
        const auto digest = LevelDb{.signed_tail = true}.digest(key);
        for (std::uint32_t probe = 0; probe < shape.probes; ++probe) {
          const auto bit = LevelDb::probe(digest, probe, shape.bits);
          contents[at + bit / 8] |= static_cast<std::byte>(1U << bit % 8);
        }
      }
    }
  });
  const LevelDbAudit audit = audited(by_old);
  EXPECT_EQ(audit.writer, LevelDbWriter::kSignedTail);
  EXPECT_EQ(audit.denied_keys, 0U);
}

TEST(LevelDbAudit, DataBlocksThatDoNotVerifyAreCountedAndTheOthersRead) {
  Bytes file = golden_file("leveldb/t-default.cpp.ldb");
  const LevelDbTable table = decoded(file);
  file[table.data_blocks[3].handle.offset + 10] ^= std::byte{1};
  const LevelDbAudit audit = audited(file);
  EXPECT_EQ(audit.damaged_blocks, 1U);
  EXPECT_EQ(audit.data_blocks, table.data_blocks.size() - 1);
  EXPECT_NE(audit.first_damage.find("checksum"), std::string::npos);
  EXPECT_LT(audit.keys, 1000U);
}

TEST(LevelDbAudit, KeysOutsideTheRangeOfTheManifestAreCounted) {
  const Bytes file = golden_file("leveldb/dec1000.cpp.db/000005.ldb");
  const std::string newest("\1\xff\xff\xff\xff\xff\xff\xff", 8);  // of one key the newest is first
  const std::string oldest("\1\0\0\0\0\0\0\0", 8);
  LevelDbLiveTable live;
  const std::string smallest = "key-1" + newest;
  const std::string largest = "key-989" + oldest;
  live.smallest.assign(bytes_of(smallest).begin(), bytes_of(smallest).end());
  live.largest.assign(bytes_of(largest).begin(), bytes_of(largest).end());
  LevelDbAuditOptions options;
  options.of_database = options.bytewise = true;
  options.live = &live;
  const LevelDbAudit audit = audit_leveldb_table(file, decoded(file), options);
  EXPECT_EQ(audit.keys_outside_range, 1 + 11U);  // key-0; key-99, key-990 to key-999
}

TEST(LevelDbAudit, TheMeasuredRateIsThatOfTheFilters) {
  for (const char* name : {"leveldb/t-default.cpp.ldb", "leveldb/t-bpk1.go.ldb"}) {
    const LevelDbTable table = decoded(golden_file(name));
    const auto summary = summarize_filters(table, 200'000);
    EXPECT_EQ(summary.samples, 200'000U);
    EXPECT_NEAR(summary.measured_rate, summary.rate_of_bits, summary.rate_of_bits * 0.2);
    EXPECT_GE(summary.rate, summary.rate_of_bits);
    ASSERT_EQ(summary.probes.size(), 1U);
    EXPECT_EQ(summary.probes.begin()->second, summary.with_keys);
  }
  const auto empty = summarize_filters(decoded(golden_file("leveldb/t-empty.cpp.ldb")), 1000);
  EXPECT_EQ(empty.with_keys, 0U);
  EXPECT_EQ(empty.samples, 0U);
}

TEST(LevelDbAudit, HostileTablesAreSurvived) {
  const auto audit_all = [](ByteView bytes) -> Result<LevelDbAudit> {
    DecodeOptions decode;
    decode.limits.max_bytes = 1 << 20;
    const auto table = decode_leveldb_table(bytes, decode);
    if (!table) return table.error();
    LevelDbAuditOptions options;
    options.limits = decode.limits;
    options.bytewise = true;
    (void)summarize_filters(*table, 100);
    return audit_leveldb_table(bytes, *table, options);
  };
  testing::survive_hostile_bytes(golden_file("leveldb/t-edge-a.cpp.ldb"), audit_all,
                                 [](const LevelDbAudit&) {});
  // Data blocks under right checksums, whose entries are not to be trusted.
  const Bytes good = golden_file("leveldb/t-default.cpp.ldb");
  const LevelDbHandle first = decoded(good).data_blocks[0].handle;
  for (std::size_t at = 0; at < 200; ++at)
    for (const unsigned value : {0U, 0x7fU, 0x80U, 0xffU}) {
      Bytes bad = good;
      bad[first.offset + at] = static_cast<std::byte>(value);
      store_le(bad.data() + first.offset + first.size + 1,
               leveldb_checksum(ByteView{bad}.subspan(first.offset, first.size + 1)));
      EXPECT_TRUE(audit_all(bad));
    }
}

}  // namespace
}  // namespace bloomery
