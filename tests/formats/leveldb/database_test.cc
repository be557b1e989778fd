#include "bloomery/formats/leveldb/database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>

#include "bloomery/formats/leveldb/audit.h"
#include "bloomery/formats/leveldb/policy.h"
#include "tests/formats/leveldb_live.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using testing::LiveDatabase;

std::string key_of(std::size_t i) { return "key-" + std::to_string(i * 7919 % 1'000'003); }

// Keys 0 to size - 1 on three levels and, the last of them, in the log only.
void fill(LiveDatabase& live, std::size_t size) {
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < size / 4; ++i) sorted.push_back(key_of(i));
  std::ranges::sort(sorted);
  for (const auto& key : sorted) live.put(key);  // flushed to level 2, for nothing overlaps
  live.env().drain();
  for (std::size_t i = size / 4; i < size * 9 / 10; ++i) live.put(key_of(i));
  live.database().CompactRange(nullptr, nullptr);
  for (std::size_t i = size * 9 / 10; i < size; ++i) live.put(key_of(i));
  live.env().drain();
  live.env().hold(true);
}

LevelDbDatabase opened(const LiveDatabase& live) {
  auto database = LevelDbDatabase::open(live.path(), {});
  EXPECT_TRUE(database) << database.error().message;
  return std::move(*database);
}

std::set<std::uint64_t> numbers_of(const std::vector<LevelDbDatabase::Place>& places) {
  std::set<std::uint64_t> numbers;
  for (const auto& place : places)
    if (place.table != nullptr) numbers.insert(place.table->number);
  return numbers;
}

TEST(LevelDbDatabase, EveryKeyOfALiveDatabaseIsFoundInTheTableOrLogThatHoldsIt) {
  const std::size_t size = testing::full_run() ? 500'000 : 50'000;
  LiveDatabase live;
  fill(live, size);
  const LevelDbDatabase database = opened(live);
  std::set<std::uint32_t> levels;
  std::set<std::uint64_t> live_numbers;
  for (const auto& table : database.tables()) {
    levels.insert(*table.level);
    live_numbers.insert(table.number);
  }
  EXPECT_GE(levels.size(), 2U);
  EXPECT_GE(database.tables().size(), 5U);
  const auto tables_of_keys = live.tables_of_keys();
  std::vector<LevelDbDatabase::Place> places;
  std::size_t in_logs = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string key = key_of(i);
    ASSERT_TRUE(database.may_contain(bytes_of(key))) << key;
    database.find_places(bytes_of(key), places);
    const auto found = numbers_of(places);
    const auto holders = tables_of_keys.find(key);
    if (places.front().log != nullptr) ++in_logs;
    if (holders == tables_of_keys.end()) {
      EXPECT_NE(places.front().log, nullptr) << key;
      continue;
    }
    for (const std::uint64_t number : holders->second) {
      EXPECT_TRUE(found.contains(number) || !live_numbers.contains(number)) << key;
    }
  }
  EXPECT_GT(in_logs, 0U);
  EXPECT_LT(in_logs, size / 10);
}

TEST(LevelDbDatabase, AbsentKeysNameAsManyTablesAsLevelDbReadsDataBlocksInVain) {
  LiveDatabase live;
  fill(live, 50'000);
  const LevelDbDatabase database = opened(live);
  {  // opens every table, so that from here on only data blocks are read
    const std::unique_ptr<leveldb::Iterator> all{live.database().NewIterator({})};
    for (all->SeekToFirst(); all->Valid(); all->Next()) {
    }
  }
  std::vector<LevelDbDatabase::Place> places;
  std::size_t wasted = 0;
  const std::size_t asked = testing::full_run() ? 200'000 : 20'000;
  for (std::size_t i = 0; i < asked; ++i) {
    // Among the keys that are there, and before all of them, where no table must be asked.
    const std::string key = i % 4 == 0 ? "a" + key_of(i) : key_of(i) + "x";
    const std::uint64_t before = live.env().reads();
    std::string value;
    ASSERT_TRUE(live.database().Get({}, key, &value).IsNotFound()) << key;
    const std::uint64_t reads = live.env().reads() - before;
    database.find_places(bytes_of(key), places);
    ASSERT_EQ(places.size(), reads) << key;
    EXPECT_EQ(database.may_contain(bytes_of(key)), reads > 0);
    wasted += reads;
    if (i % 4 == 0) {
      ASSERT_EQ(reads, 0U) << key;
    }
  }
  EXPECT_GT(wasted, 0U);
  // The cost that the filters were measured to have is what LevelDB paid. Not all keys lie in the
  // range of every table of level 0, so that it may be somewhat less.
  std::vector<LevelDbTableCost> costs;
  for (const auto& one : database.tables()) {
    const auto filters = summarize_filters(one.table, 50'000);
    costs.push_back({*one.level, filters.rate, filters.estimated_keys, one.smallest, one.largest});
  }
  const double per_get = static_cast<double>(wasted) / (static_cast<double>(asked) * 3 / 4);
  const double promised = cost_of_absent_get(costs, true).wasted_reads;
  EXPECT_LT(per_get, promised * 1.15);
  EXPECT_GT(per_get, promised * 0.6);
}

// Keys move from logs to tables to other tables while the folder is read.
TEST(LevelDbDatabase, NoKeyIsMissedWhileTheDatabaseIsBeingWrittenTo) {
  const std::size_t size = testing::full_run() ? 400'000 : 40'000;
  LiveDatabase live;
  std::atomic<std::size_t> written = 0;
  std::thread writer{[&] {
    for (std::size_t i = 0; i < size; ++i) {
      live.put(key_of(i));
      written = i + 1;
    }
  }};
  std::size_t rounds = 0;
  for (bool last = false; !last; ++rounds) {
    const std::size_t before = written;
    last = before == size;
    const auto database = LevelDbDatabase::open(live.path(), {});
    if (!database) {  // replaced faster than it is read, eight times in a row
      ADD_FAILURE() << database.error().message;
      break;
    }
    for (std::size_t i = rounds % 7; i < before; i += 7)
      if (!database->may_contain(bytes_of(key_of(i)))) {
        ADD_FAILURE() << key_of(i) << " of " << before << " in round " << rounds;
        break;
      }
  }
  writer.join();
  EXPECT_GT(rounds, 1U);
}

class Backwards : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  const char* Name() const override { return "test.Backwards"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST(LevelDbDatabase, WithAnotherOrderOfKeysEveryFilterOfEveryTableIsAsked) {
  const Backwards backwards;
  LiveDatabase live{&backwards};
  fill(live, 5000);
  const LevelDbDatabase database = opened(live);
  EXPECT_FALSE(database.uses_ranges());
  EXPECT_EQ(database.manifest().comparator, "test.Backwards");
  for (std::size_t i = 0; i < 5000; ++i)
    ASSERT_TRUE(database.may_contain(bytes_of(key_of(i)))) << key_of(i);
  EXPECT_FALSE(database.may_contain(bytes_of("absent")) && database.may_contain(bytes_of("gone")) &&
               database.may_contain(bytes_of("missing")) && database.may_contain(bytes_of("none")));
}

// Our own policy, as a database would plug it in.
class OurPolicy : public leveldb::FilterPolicy {
 public:
  explicit OurPolicy(const char* name) : name_{name} {}
  const char* Name() const override { return name_; }
  void CreateFilter(const leveldb::Slice* keys, int count, std::string* to) const override {
    std::vector<ByteView> views;
    for (int i = 0; i < count; ++i)
      views.push_back(bytes_of(std::string_view{keys[i].data(), keys[i].size()}));
    LevelDbPolicyBuilder builder{LevelDbPolicySizing{10}, views.size()};
    builder.add(views);
    const std::size_t start = to->size();
    to->resize(start + builder.filter_bytes());
    builder.finish(std::as_writable_bytes(std::span{*to}).subspan(start));
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return leveldb_policy_may_contain(bytes_of(std::string_view{filter.data(), filter.size()}),
                                      bytes_of(std::string_view{key.data(), key.size()}));
  }

 private:
  const char* name_;
};

TEST(LevelDbDatabase, FiltersOfOurOwnPolicyAreAskedAndThoseOfUnknownOnesNot) {
  const OurPolicy ours{kLevelDbPolicyName};
  const OurPolicy unknown{"somebody.Filter"};
  for (const OurPolicy* policy : {&ours, &unknown}) {
    LiveDatabase live{nullptr, policy};
    fill(live, 20'000);
    const LevelDbDatabase database = opened(live);
    std::size_t maybes = 0;
    for (std::size_t i = 0; i < 20'000; ++i) {
      ASSERT_TRUE(database.may_contain(bytes_of(key_of(i)))) << key_of(i);
      if (database.may_contain(bytes_of(key_of(i) + "x"))) ++maybes;
    }
    const auto& table = database.tables().back().table;
    const auto summary = summarize_filters(table, 10'000);
    if (policy == &ours) {
      EXPECT_LT(maybes, 1600U);
      EXPECT_GT(maybes, 0U);
      EXPECT_EQ(table.filters->policy(), LevelDbPolicy::kBloomery);
      EXPECT_EQ(summary.damaged, 0U);
      EXPECT_LT(summary.rate, 0.03);
      EXPECT_EQ(describe(table).dialect, kLevelDbPolicyName);
    } else {
      EXPECT_GT(maybes, 19'000U);
      EXPECT_NE(table.why_no_filters.find("somebody.Filter"), std::string::npos);
      EXPECT_GT(summary.block_bytes, 1000U);
    }
  }
}

TEST(LevelDbDatabase, NothingInTheFolderIsWrittenOrLocked) {
  LiveDatabase live;
  fill(live, 5000);
  const auto listing = [&] {
    std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
    for (const auto& entry : std::filesystem::directory_iterator{live.path()})
      files[entry.path().filename().string()] = {entry.file_size(), entry.last_write_time()};
    return files;
  };
  const auto before = listing();
  (void)opened(live);
  EXPECT_EQ(listing(), before);
}

TEST(LevelDbDatabase, ATableThatIsMissingIsAnErrorAndOneThatIsCutAnswersMaybe) {
  LiveDatabase live;
  fill(live, 20'000);
  live.close();
  const auto folder = read_leveldb_folder(live.path(), {});
  ASSERT_TRUE(folder);
  const auto* file = folder->find_file(folder->manifest.tables.back().number);
  ASSERT_NE(file, nullptr);
  const auto path = live.path() / file->name;
  std::filesystem::resize_file(path, file->bytes / 2);
  {
    const LevelDbDatabase database = opened(live);
    for (std::size_t i = 0; i < 20'000; ++i)
      ASSERT_TRUE(database.may_contain(bytes_of(key_of(i)))) << key_of(i);
  }
  std::filesystem::remove(path);
  const auto refused = LevelDbDatabase::open(live.path(), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("does not have it"), std::string::npos);
  EXPECT_FALSE(LevelDbDatabase::open(live.path() / "nowhere", {}));
}

// LevelDB opens such a database, and what was in the log alone is gone.
TEST(LevelDbDatabase, ALogThatTheManifestNamesAndIsMissingMayHaveHeldAnyKey) {
  LiveDatabase live;
  fill(live, 2'000);
  live.close();
  for (const auto& entry : std::filesystem::directory_iterator{live.path()})
    if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
  const LevelDbDatabase database = opened(live);
  ASSERT_EQ(database.logs().size(), 1U);
  EXPECT_TRUE(database.logs().front().is_missing);
  EXPECT_EQ(database.logs().front().number, database.manifest().log_number);
  EXPECT_TRUE(database.may_contain(bytes_of("never written")));
}

TEST(LevelDbDatabase, ATornManifestAndATornLogAreReadAsLevelDbReadsThem) {
  LiveDatabase live;
  fill(live, 20'000);
  live.close();
  const auto folder = read_leveldb_folder(live.path(), {});
  ASSERT_TRUE(folder);
  ASSERT_FALSE(folder->logs.empty());
  const std::string digits = std::to_string(folder->logs.back().number);
  const std::string log = std::string(6 - digits.size(), '0') + digits + ".log";
  for (const std::string& name : {folder->manifest_name, log}) {
    ASSERT_TRUE(std::filesystem::exists(live.path() / name)) << name;
    std::ofstream{live.path() / name, std::ios::app | std::ios::binary} << "\1\2\3\4\x20";
  }
  const LevelDbDatabase database = opened(live);
  EXPECT_EQ(database.manifest().torn_bytes, 5U);
  EXPECT_EQ(database.logs().back().torn_bytes, 5U);
  live.open();
  std::string value;
  for (std::size_t i = 0; i < 20'000; i += 10) {
    ASSERT_TRUE(live.database().Get({}, key_of(i), &value).ok());
    ASSERT_TRUE(database.may_contain(bytes_of(key_of(i))));
  }
}

TEST(LevelDbDatabase, ACurrentThatLeadsElsewhereIsRefused) {
  LiveDatabase live;
  live.close();
  for (const char* text :
       {"", "MANIFEST-000002", "MANIFEST-../x\n", "../MANIFEST-000002\n", "MANIFEST-\n"}) {
    std::ofstream{live.path() / "CURRENT", std::ios::trunc} << text;
    const auto refused = read_leveldb_folder(live.path(), {});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kMalformed) << text;
  }
  std::filesystem::remove(live.path() / "CURRENT");
  EXPECT_NE(read_leveldb_folder(live.path(), {}).error().message.find("no file CURRENT"),
            std::string::npos);
}

TEST(LevelDbDatabase, FiltersAndIndexesObeyTheMemoryLimit) {
  LiveDatabase live;
  fill(live, 20'000);
  DecodeOptions options;
  options.limits.max_bytes = 16'384;
  const auto refused = LevelDbDatabase::open(live.path(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery
