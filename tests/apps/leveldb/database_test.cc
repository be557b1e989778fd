// Whole databases: who can open whose, whether filters are used, and what damage does.
#include <gtest/gtest.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "bloomery/formats/leveldb/table.h"
#include "bloomery/leveldb/filter_policy.h"
#include "tests/apps/leveldb/counting_env.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::CountingEnv;
using testing::Policy;

enum class Kind { kBuiltin, kCompatible, kGo, kBlock };
constexpr Kind kKinds[] = {Kind::kBuiltin, Kind::kCompatible, Kind::kGo, Kind::kBlock};

Policy make(Kind kind) {
  if (kind == Kind::kBuiltin) return Policy{leveldb::NewBloomFilterPolicy(10)};
  if (kind == Kind::kCompatible) return Policy{NewBloomeryPolicy(10)};
  if (kind == Kind::kGo) return Policy{NewBloomeryPolicy(10, BuiltinPolicyName::kGoLevelDb)};
  return Policy{NewBloomeryBlockPolicy(10)};
}

constexpr std::size_t kKeys = 5000;
// Absent keys lie between present ones, so that only a filter spares their block.
std::string present(std::size_t i) { return "key " + std::to_string(100000 + i); }
std::string absent(std::size_t i) { return present(i) + " absent"; }

void write_database(const std::string& path, const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.write_buffer_size = 64 << 10;
  const auto database = testing::open_database(path, policy, options);
  for (std::size_t i = 0; i < kKeys; ++i)
    ASSERT_TRUE(database->Put({}, present(i * 7919 % kKeys), "value of " + present(i)).ok());
  database->CompactRange(nullptr, nullptr);
}

struct Seen {
  std::size_t lost = 0;
  double reads_per_absent_key = 0;
};

// Reads everything twice: the first pass opens the tables.
template <class PresentKey, class AbsentKey>
Seen read_database(const std::string& path, const leveldb::FilterPolicy* policy, std::size_t keys,
                   PresentKey present_key, AbsentKey absent_key) {
  CountingEnv env;
  const std::unique_ptr<leveldb::Cache> nothing{leveldb::NewLRUCache(0)};
  leveldb::Options options;
  options.env = &env;
  options.block_cache = nothing.get();
  const auto database = testing::open_database(path, policy, options);
  Seen seen;
  std::string value;
  for (std::size_t i = 0; i < keys; ++i)
    seen.lost += database->Get({}, present_key(i), &value).ok() ? 0 : 1;
  env.reads = 0;
  for (std::size_t i = 0; i < keys; ++i)
    EXPECT_TRUE(database->Get({}, absent_key(i), &value).IsNotFound());
  seen.reads_per_absent_key = static_cast<double>(env.reads) / static_cast<double>(keys);
  return seen;
}

TEST(LevelDbDatabase, EachPolicyReadsWhatTheOthersWroteAndUsesFiltersOfItsName) {
  for (const Kind writer : kKinds) {
    const ScratchFolder folder;
    const std::string path = folder / "db";
    write_database(path, make(writer).get());
    for (const Kind reader : kKinds) {
      const Policy policy = make(reader);
      const Seen seen = read_database(path, policy.get(), kKeys, present, absent);
      EXPECT_EQ(seen.lost, 0U);
      if (std::string{policy->Name()} == make(writer)->Name()) {
        EXPECT_LT(seen.reads_per_absent_key, 0.03);
      } else {
        EXPECT_GT(seen.reads_per_absent_key, 0.95);  // ignored, never wrong
      }
    }
    EXPECT_GT(read_database(path, nullptr, kKeys, present, absent).reads_per_absent_key, 0.95);
  }
}

TEST(LevelDbDatabase, GoldenDatabasesOfBothLibrariesAreReadWithTheirFilters) {
  const auto golden = testing::golden_json("formats/leveldb.json");
  std::size_t seen_databases = 0;
  for (const auto& one : golden.at("databases")) {
    const ScratchFolder folder;
    const std::string path = folder / "db";
    std::filesystem::copy(
        std::string{BLOOMERY_GOLDEN_DIR} + "/formats/" + one.at("dir").get<std::string>(), path);
    std::vector<std::string> keys;
    for (const auto& key : one.at("present_user_keys"))
      keys.emplace_back(text_of(testing::from_hex(key)));
    const bool go = one.at("id").get<std::string>().find(".go") != std::string::npos;
    const auto present_key = [&](std::size_t i) { return keys[i]; };
    const auto absent_key = [&](std::size_t i) { return keys[i] + "+"; };
    const Policy right = make(go ? Kind::kGo : Kind::kCompatible);
    const Policy wrong = make(go ? Kind::kCompatible : Kind::kGo);
    const Seen with = read_database(path, right.get(), keys.size(), present_key, absent_key);
    const Seen without = read_database(path, wrong.get(), keys.size(), present_key, absent_key);
    EXPECT_EQ(with.lost + without.lost, 0U) << one.at("id");
    if (keys.size() < 100) continue;
    EXPECT_LT(with.reads_per_absent_key, 0.03) << one.at("id");
    EXPECT_GT(without.reads_per_absent_key, 0.5) << one.at("id");
    ++seen_databases;
  }
  EXPECT_EQ(seen_databases, 2U);
}

// The filters of a table, without their offsets: they lie between the last data block and the
// metaindex, which the footer points to.
std::pair<std::size_t, std::size_t> filters_in(const std::string& file) {
  const auto table = decode_leveldb_table(bytes_of(file), {});
  EXPECT_TRUE(table && !table->policy_name.empty());
  const auto& last = table->data_blocks.back().handle;
  ByteReader footer{bytes_of(file).last(48)};
  const std::size_t block = static_cast<std::size_t>(last.offset + last.size) + 5;
  const std::size_t end = static_cast<std::size_t>(read_handle(footer)->offset) - 5;
  return {block, load_le<std::uint32_t>(bytes_of(file).data() + end - 5)};
}

template <class Damage>
void damage_filters(const std::string& path, Damage damage) {
  for (const auto& entry : std::filesystem::directory_iterator{path}) {
    if (entry.path().extension() != ".ldb") continue;
    std::string file;
    ASSERT_TRUE(leveldb::ReadFileToString(leveldb::Env::Default(), entry.path(), &file).ok());
    const auto [start, size] = filters_in(file);
    damage(std::span{file}.subspan(start, size));
    std::ofstream{entry.path(), std::ios::binary} << file;
  }
}

void zero(std::span<char> filters) { std::ranges::fill(filters, '\0'); }
void flip(std::span<char> filters) {
  for (std::size_t i = 5; i < filters.size(); i += 11) filters[i] = static_cast<char>(~filters[i]);
}

TEST(LevelDbDatabase, DamagedBlockFiltersLoseNoKeyWhereBuiltinOnesLoseThem) {
  for (const auto damage : {zero, flip})
    for (const Kind kind : kKinds) {
      const ScratchFolder folder;
      const std::string path = folder / "db";
      const Policy policy = make(kind);
      write_database(path, policy.get());
      damage_filters(path, damage);
      const std::size_t lost = read_database(path, policy.get(), kKeys, present, absent).lost;
      if (kind == Kind::kBlock) {
        EXPECT_EQ(lost, 0U);
      } else if (damage == flip) {
        EXPECT_GT(lost, kKeys / 10);  // as LevelDB's own: the same bytes have no room for a check
      }
    }
}

TEST(LevelDbDatabase, ParanoidChecksProtectTheCompatibleFiltersToo) {
  const ScratchFolder folder;
  const std::string path = folder / "db";
  const Policy policy = make(Kind::kCompatible);
  write_database(path, policy.get());
  damage_filters(path, flip);
  leveldb::Options options;
  options.paranoid_checks = true;
  const auto database = testing::open_database(path, policy.get(), options);
  std::string value;
  for (std::size_t i = 0; i < kKeys; ++i)
    ASSERT_TRUE(database->Get({}, present(i), &value).ok()) << i;
}

}  // namespace
}  // namespace bloomery
