#include "bloomery/formats/leveldb/log.h"

#include <random>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/leveldb/entries.h"
#include "tests/formats/hostile.h"
#include "tests/formats/leveldb_log_writer.h"

namespace bloomery {
namespace {

using testing::batch_of;
using testing::Bytes;
using testing::LogWriter;

std::vector<std::string> records_of(ByteView file) {
  LevelDbLogReader reader{file};
  std::vector<std::string> records;
  while (const auto record = reader.next()) records.emplace_back(text_of(*record));
  return records;
}

TEST(LevelDbLog, RecordsOfAllLengthsAcrossBlocksComeBackWhole) {
  std::mt19937 random{20200815};
  LogWriter log;
  std::vector<std::string> written;
  for (const std::size_t size :
       {0U, 1U, 32754U, 32755U, 32761U, 32762U, 100'000U, 5U, 6U, 7U, 65536U}) {
    written.emplace_back(size, static_cast<char>('a' + random() % 26));
    log.add(bytes_of(written.back()));
  }
  for (int i = 0; i < 300; ++i) {
    written.emplace_back(random() % 700, static_cast<char>('a' + i % 26));
    log.add(bytes_of(written.back()));
  }
  EXPECT_EQ(records_of(log.file()), written);
  LevelDbLogReader reader{log.file()};
  while (reader.next()) {
  }
  EXPECT_EQ(reader.damaged_bytes(), 0U);
  EXPECT_EQ(reader.torn_bytes(), 0U);
}

// LevelDB 1.23, db/log_reader.cc: a writer that dies leaves a part of a record, which is no damage.
TEST(LevelDbLog, EveryTruncationGivesTheRecordsBeforeItAndNoDamage) {
  LogWriter log;
  std::vector<std::size_t> ends;
  for (int i = 0; i < 40; ++i) {
    log.add(bytes_of(std::string(static_cast<std::size_t>(i) * 100, 'x')));
    ends.push_back(log.file().size());
  }
  ASSERT_GT(log.file().size(), 2 * 32768U);
  for (std::size_t size = 0; size <= log.file().size(); size += 37) {
    LevelDbLogReader reader{ByteView{log.file()}.first(size)};
    std::size_t records = 0;
    while (reader.next()) ++records;
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(ends, [&](std::size_t end) { return end <= size; }));
    EXPECT_EQ(records, whole) << size;
    EXPECT_EQ(reader.damaged_bytes(), 0U) << size << ": " << reader.first_damage();
  }
}

TEST(LevelDbLog, AWrongChecksumCostsTheRestOfItsBlockAndIsCounted) {
  LogWriter log;
  for (int i = 0; i < 100; ++i)
    log.add(bytes_of(std::string(1000, static_cast<char>('0' + i % 10))));
  Bytes file = log.file();
  file[32768 + 5000] ^= std::byte{1};
  LevelDbLogReader reader{file};
  std::size_t records = 0;
  while (reader.next()) ++records;
  EXPECT_LT(records, 75U);
  EXPECT_GT(records, 60U);
  EXPECT_GT(reader.damaged_bytes(), 27'000U);
  EXPECT_NE(reader.first_damage().find("checksum"), std::string::npos);
  EXPECT_EQ(reader.torn_bytes(), 0U);
}

TEST(LevelDbLog, PiecesWithoutTheirStartOrEndAreDamage) {
  LogWriter middle;
  middle.add_piece(3, bytes_of("middle"));
  middle.add_piece(4, bytes_of("last"));
  middle.add(bytes_of("whole"));
  LogWriter first;
  first.add_piece(2, bytes_of("first"));
  first.add(bytes_of("whole"));
  LogWriter unknown;
  unknown.add_piece(9, bytes_of("what"));
  unknown.add(bytes_of("whole"));
  for (const LogWriter* log : {&middle, &first, &unknown}) {
    LevelDbLogReader reader{log->file()};
    const auto record = reader.next();
    ASSERT_TRUE(record);
    EXPECT_EQ(text_of(*record), "whole");
    EXPECT_FALSE(reader.next());
    EXPECT_GT(reader.damaged_bytes(), 0U);
    EXPECT_FALSE(reader.first_damage().empty());
  }
}

// Old releases set space aside in files that they map, and it stays zero.
TEST(LevelDbLog, ZeroesAtTheEndAreNeitherRecordsNorDamage) {
  LogWriter log;
  log.add(bytes_of("one"));
  Bytes file = log.file();
  file.resize(3 * 32768);
  EXPECT_EQ(records_of(file), std::vector<std::string>{"one"});
  LevelDbLogReader reader{file};
  while (reader.next()) {
  }
  EXPECT_EQ(reader.damaged_bytes(), 0U);
}

TEST(LevelDbLog, BatchesGiveTheKeysThatWereWrittenAndDeleted) {
  LogWriter writer;
  writer.add(batch_of({{"a", true}, {"b", true}}));
  writer.add(batch_of({{"b", false}, {"", true}}));
  const auto log = decode_leveldb_log(writer.file(), {});
  ASSERT_TRUE(log);
  EXPECT_EQ(log->batches, 2U);
  EXPECT_EQ(log->writes, 4U);
  EXPECT_EQ(log->deletions, 1U);
  EXPECT_EQ(log->keys, (std::unordered_set<std::string>{"a", "b", ""}));
  EXPECT_TRUE(log->may_contain(bytes_of("a")));
  EXPECT_FALSE(log->may_contain(bytes_of("c")));
}

TEST(LevelDbLog, ADamagedLogMayHoldAnyKey) {
  for (const bool batch_is_wrong : {false, true}) {
    LogWriter writer;
    Bytes batch = batch_of({{"a", true}});
    if (batch_is_wrong) batch[8] = std::byte{7};  // it says seven keys
    writer.add(batch);
    Bytes file = writer.file();
    if (!batch_is_wrong) file.back() ^= std::byte{1};
    const auto log = decode_leveldb_log(file, {});
    ASSERT_TRUE(log);
    EXPECT_GT(log->damaged_bytes, 0U);
    EXPECT_FALSE(log->first_damage.empty());
    EXPECT_TRUE(log->may_contain(bytes_of("c")));
  }
}

TEST(LevelDbLog, KeysObeyTheMemoryLimit) {
  LogWriter writer;
  for (int i = 0; i < 1000; ++i) writer.add(batch_of({{"key" + std::to_string(i), true}}));
  EXPECT_TRUE(decode_leveldb_log(writer.file(), {1 << 20}));
  const auto refused = decode_leveldb_log(writer.file(), {1 << 12});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
}

// A key costs its bytes and 64 more, once.
TEST(LevelDbLog, TheLimitIsReachedByTheLastKeyThatFits) {
  LogWriter writer;
  writer.add(batch_of({{"a", true}, {"bc", true}, {"a", false}}));
  EXPECT_TRUE(decode_leveldb_log(writer.file(), {65 + 66}));
  EXPECT_EQ(decode_leveldb_log(writer.file(), {65 + 65}).error().code, ErrorCode::kTooLarge);
}

TEST(LevelDbLog, TheFirstBatchThatIsWrongIsTheOneThatIsTold) {
  Bytes too_many = batch_of({{"a", true}});
  too_many[8] = std::byte{2};
  Bytes unknown_type = batch_of({{"a", true}});
  unknown_type[12] = std::byte{2};
  const Bytes short_one(11);
  const std::pair<const Bytes*, const char*> cases[] = {
      {&too_many, "a batch of the log has another number of keys than it says"},
      {&unknown_type,
       "a batch of the log has an entry of type 2, and only 0 (deleted) and 1 (written) are known"},
      {&short_one, "a batch of the log has 11 bytes, and its sequence and count alone take 12"},
  };
  for (const auto& [first, sentence] : cases)
    for (const auto& [second, other] : cases) {
      LogWriter writer;
      writer.add(*first);
      writer.add(*second);
      const auto log = decode_leveldb_log(writer.file(), {});
      ASSERT_TRUE(log);
      EXPECT_EQ(log->first_damage, sentence);
      EXPECT_EQ(log->damaged_bytes, first->size() + second->size());
      EXPECT_EQ(log->batches, 2U);
    }
}

TEST(LevelDbLog, HostileBytesAreSurvived) {
  LogWriter writer;
  for (int i = 0; i < 20; ++i)
    writer.add(batch_of({{"key" + std::to_string(i), true}, {"gone" + std::to_string(i), false}}));
  testing::survive_hostile_bytes(
      writer.file(), [](ByteView bytes) { return decode_leveldb_log(bytes, {1 << 20}); }, 820);
  // Under right checksums too: what is inside a record is no more to be trusted.
  testing::survive_hostile_bytes(
      batch_of({{"key", true}, {"gone", false}}),
      [](ByteView bytes) {
        LogWriter one;
        one.add(bytes);
        return decode_leveldb_log(one.file(), {1 << 20});
      },
      31);
}

}  // namespace
}  // namespace bloomery
