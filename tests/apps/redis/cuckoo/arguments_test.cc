#include "apps/redis/cuckoo/arguments.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery::redis_module {
namespace {

using List = std::vector<std::string_view>;

const Settings kSettings{.cuckoo_bucket_size = 3,
                         .cuckoo_initial_size = 50,
                         .cuckoo_iterations = 7,
                         .cuckoo_expansion = 4};

RedisCuckooOptions reserved(const List& words) {
  const auto parsed = parse_cuckoo_reserve(words, kSettings);
  const auto* options = std::get_if<RedisCuckooOptions>(&parsed);
  EXPECT_NE(options, nullptr);
  return options == nullptr ? RedisCuckooOptions{} : *options;
}
Refusal reserve_refusal(const List& words) {
  const auto parsed = parse_cuckoo_reserve(words, kSettings);
  const auto* refusal = std::get_if<Refusal>(&parsed);
  EXPECT_NE(refusal, nullptr);
  return refusal == nullptr ? Refusal::kNoMemory : *refusal;
}
CuckooInsertion inserted(const List& words) {
  const auto parsed = parse_cuckoo_insert(words, kSettings);
  const auto* insertion = std::get_if<CuckooInsertion>(&parsed);
  EXPECT_NE(insertion, nullptr);
  return insertion == nullptr ? CuckooInsertion{} : *insertion;
}
Refusal insert_refusal(const List& words) {
  const auto parsed = parse_cuckoo_insert(words, kSettings);
  const auto* refusal = std::get_if<Refusal>(&parsed);
  EXPECT_NE(refusal, nullptr);
  return refusal == nullptr ? Refusal::kNoMemory : *refusal;
}

TEST(CuckooReserveArguments, TakesFromTheSettingsWhatIsNotGiven) {
  const RedisCuckooOptions plain = reserved({"100"});
  EXPECT_EQ(plain.keys, 100U);
  EXPECT_EQ(plain.bucket_size, 3U);
  EXPECT_EQ(plain.max_iterations, 7U);
  EXPECT_EQ(plain.expansion, 4U);
  const RedisCuckooOptions given =
      reserved({"100", "expansion", "0", "MaxIterations", "9", "BUCKETSIZE", "1"});
  EXPECT_EQ(given.bucket_size, 1U);
  EXPECT_EQ(given.max_iterations, 9U);
  EXPECT_EQ(given.expansion, 0U);
}

TEST(CuckooReserveArguments, TheLeastNumberOfKeysFollowsFromTheBucketSize) {
  EXPECT_EQ(reserve_refusal({"5"}), Refusal::kCuckooReserveKeysRange);
  EXPECT_EQ(reserved({"6"}).keys, 6U);
  EXPECT_EQ(reserve_refusal({"6", "BUCKETSIZE", "4"}), Refusal::kCuckooReserveKeysRange);
}

TEST(CuckooReserveArguments, ComeInPairsBehindTheNumberOfKeys) {
  EXPECT_EQ(reserve_refusal({"100", "BUCKETSIZE"}), Refusal::kArity);
  EXPECT_EQ(reserve_refusal({"100", "JUNK", "EXPANSION"}), Refusal::kCuckooBadExpansion);
}

TEST(CuckooInsertArguments, EndWithTheItems) {
  const CuckooInsertion plain = inserted({"ITEMS", "a", "ITEMS"});
  EXPECT_EQ(plain.filter.keys, 50U);
  EXPECT_TRUE(plain.may_create);
  EXPECT_EQ(plain.first_key, 1U);
  const CuckooInsertion given = inserted({"n", "cap", "6", "i", "a"});
  EXPECT_EQ(given.filter.keys, 6U);
  EXPECT_FALSE(given.may_create);
  EXPECT_EQ(given.first_key, 4U);
}

TEST(CuckooInsertArguments, AreRefusedWithAReason) {
  EXPECT_EQ(insert_refusal({"CAPACITY", "5", "ITEMS", "a"}), Refusal::kCuckooInsertKeysRange);
  EXPECT_EQ(insert_refusal({"CAPACITY", "x", "ITEMS", "a"}), Refusal::kInsertBadKeys);
  EXPECT_EQ(insert_refusal({"CAPACITYX", "6", "ITEMS", "a"}), Refusal::kUnknownArgument);
  EXPECT_EQ(insert_refusal({"", "ITEMS", "a"}), Refusal::kUnknownArgument);
  EXPECT_EQ(insert_refusal({"NOCREATE", "ITEMS"}), Refusal::kArity);
  EXPECT_EQ(insert_refusal({"NOCREATE", "CAPACITY"}), Refusal::kArity);
}

}  // namespace
}  // namespace bloomery::redis_module
