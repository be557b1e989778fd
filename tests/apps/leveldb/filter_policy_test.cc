#include "bloomery/leveldb/filter_policy.h"

#include <gtest/gtest.h>
#include <leveldb/slice.h>

#include <random>
#include <thread>

#include "bloomery/formats/leveldb/filter.h"
#include "tests/apps/leveldb/counting_env.h"
#include "tests/apps/leveldb/failing_memory.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using leveldb::Slice;
using testing::Policy;

constexpr auto kGo = BuiltinPolicyName::kGoLevelDb;

Policy builtin(int bits_per_key = 10) {
  return Policy{leveldb::NewBloomFilterPolicy(bits_per_key)};
}
Policy compatible(int bits_per_key = 10, BuiltinPolicyName name = BuiltinPolicyName::kLevelDb) {
  return Policy{NewBloomeryPolicy(bits_per_key, name)};
}
Policy block(int bits_per_key = 10) { return Policy{NewBloomeryBlockPolicy(bits_per_key)}; }

std::string filter_of(const leveldb::FilterPolicy& policy, const std::vector<std::string>& keys,
                      std::string before = {}) {
  const std::vector<Slice> slices{keys.begin(), keys.end()};
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &before);
  return before;
}

class Keys {
 public:
  explicit Keys(std::uint64_t seed) : random_{seed} {}
  std::string one(std::size_t longest = 40) {
    std::string key(random_() % (longest + 1), '\0');
    for (char& letter : key) letter = static_cast<char>(random_());
    return key;
  }
  std::vector<std::string> many(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(one());
    return keys;
  }

 private:
  std::mt19937_64 random_;
};

TEST(LevelDbPolicies, HaveTheNamesThatTablesKnowThemBy) {
  EXPECT_STREQ(compatible()->Name(), builtin()->Name());
  EXPECT_STREQ(compatible()->Name(), "leveldb.BuiltinBloomFilter2");
  EXPECT_STREQ(compatible(10, kGo)->Name(), "leveldb.BuiltinBloomFilter");
  EXPECT_STREQ(block()->Name(), "bloomery.BlockFilter1");
}

TEST(LevelDbPolicies, CompatibleFiltersAreTheBuiltinOnesByteForByte) {
  Keys keys{1};
  for (const int bits_per_key : {0, 1, 2, 7, 10, 13, 16, 40, 100, 371, 372, 500})
    for (const std::size_t count :
         {0UL, 1UL, 2UL, 6UL, 7UL, 8UL, 9UL, 35UL, 120UL, 511UL, 513UL, 3000UL}) {
      const auto some = keys.many(count);
      const std::string theirs = filter_of(*builtin(bits_per_key), some, "before");
      ASSERT_EQ(filter_of(*compatible(bits_per_key), some, "before"), theirs)
          << bits_per_key << ' ' << count;
      if (bits_per_key < 372) {
        ASSERT_EQ(filter_of(*compatible(bits_per_key, kGo), some, "before"), theirs);
      }
    }
}

// Its largest filters are not those of tests: a million keys, written group by group.
TEST(LevelDbPolicies, CompatibleFiltersOfManyKeysAreTheBuiltinOnesToo) {
  Keys keys{2};
  const auto many = keys.many(250000);
  EXPECT_EQ(filter_of(*compatible(), many), filter_of(*builtin(), many));
}

TEST(LevelDbPolicies, GoldenFiltersComeFromTheirKeys) {
  const auto golden = testing::golden_json("formats/leveldb.json");
  for (const auto& one : golden.at("filters")) {
    std::vector<std::string> keys;
    for (const auto& key : one.at("keys")) keys.emplace_back(text_of(testing::from_hex(key)));
    const int bits_per_key = std::stoi(one.at("params").at("bits_per_key").get<std::string>());
    const auto wanted = testing::from_hex(one.at("bytes_hex"));
    for (const auto name : {BuiltinPolicyName::kLevelDb, kGo}) {
      const Policy policy = compatible(bits_per_key, name);
      const std::string filter = filter_of(*policy, keys);
      EXPECT_EQ(filter, text_of(wanted)) << one.at("id");
      for (const auto& answer : one.at("answers")) {
        const auto key = testing::from_hex(answer.at(0));
        if (name == kGo && answer.at(1) == 0) continue;  // it may say "maybe" for an older writer
        EXPECT_EQ(policy->KeyMayMatch(std::string{text_of(key)}, filter), answer.at(1) == 1);
      }
    }
  }
}

TEST(LevelDbPolicies, AnswersAreTheBuiltinOnesForAnyBytesAtAll) {
  Keys keys{3};
  const Policy theirs = builtin(), ours = compatible();
  for (int i = 0; i < 20000; ++i) {
    std::string filter = keys.one(80);
    if (i % 3 == 0 && !filter.empty()) filter.back() = static_cast<char>(i % 40);
    const std::string key = keys.one();
    ASSERT_EQ(ours->KeyMayMatch(key, filter), theirs->KeyMayMatch(key, filter)) << i;
  }
}

// C++ before 1.18 wrote under the name that goleveldb has today.
TEST(LevelDbPolicies, UnderTheGoNameFiltersOfOldWritersLoseNoKey) {
  Keys keys{4};
  const auto some = keys.many(300);
  const LevelDb old{.signed_tail = true};
  std::vector<std::uint32_t> hashes;
  for (const auto& key : some) hashes.push_back(old.digest(bytes_of(key)).hash);
  const Shape shape = *leveldb_shape(some.size(), 10);
  std::string filter(shape.bits / 8 + 1, '\0');
  leveldb_fill(hashes, shape, std::as_writable_bytes(std::span{filter}));
  const Policy go = compatible(10, kGo), cpp = compatible();
  std::size_t lost = 0, passed = 0;
  for (const auto& key : some) {
    EXPECT_TRUE(go->KeyMayMatch(key, filter));
    lost += cpp->KeyMayMatch(key, filter) ? 0 : 1;
  }
  EXPECT_GT(lost, 50U);  // as the built-in policy would
  for (const auto& key : keys.many(5000)) passed += go->KeyMayMatch("absent" + key, filter) ? 1 : 0;
  EXPECT_LT(passed, 150U);
}

TEST(LevelDbPolicies, BlockFiltersLoseNoKeyAndOnlyAppend) {
  Keys keys{5};
  const Policy policy = block();
  for (const std::size_t count : {0UL, 1UL, 20UL, 64UL, 65UL, 417UL, 2000UL}) {
    const auto some = keys.many(count);
    const std::string both = filter_of(*policy, some, "before");
    ASSERT_EQ(both.substr(0, 6), "before");
    const std::string filter = both.substr(6);
    ASSERT_EQ(filter, filter_of(*policy, some));
    ASSERT_LE(filter.size(), filter_of(*builtin(), some).size());
    for (const auto& key : some) ASSERT_TRUE(policy->KeyMayMatch(key, filter)) << count;
  }
}

TEST(LevelDbPolicies, WhereMemoryRunsOutTheFilterSaysMaybe) {
  Keys keys{6};
  const auto some = keys.many(2000);
  const std::vector<Slice> slices{some.begin(), some.end()};
  for (const Policy& policy : {compatible(), compatible(10, kGo), block()})
    for (std::size_t allowed = 0; allowed < 4; ++allowed) {
      std::string filters = "before";
      filters.reserve(15);
      {
        const testing::FailingMemory failing{allowed};
        policy->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filters);
      }
      ASSERT_EQ(filters.substr(0, 6), "before");
      ASSERT_GT(filters.size(), 6U);
      for (const auto& key : some) ASSERT_TRUE(policy->KeyMayMatch(key, filters.substr(6)));
      for (const Policy& reader : {builtin(), compatible(), block()})
        if (std::string{reader->Name()} == policy->Name()) {
          ASSERT_TRUE(reader->KeyMayMatch(some[0], filters.substr(6)));
        }
    }
}

TEST(LevelDbPolicies, AbsurdBitsPerKeyAreTakenForTheNearest) {
  const auto some = Keys{7}.many(20);
  EXPECT_EQ(filter_of(*compatible(-5), some), filter_of(*builtin(0), some));
  for (const int bits_per_key : {-5, 0, 1 << 30}) {
    const Policy policy = block(bits_per_key);
    const std::string filter = filter_of(*policy, some);
    for (const auto& key : some) EXPECT_TRUE(policy->KeyMayMatch(key, filter));
  }
}

}  // namespace
}  // namespace bloomery
