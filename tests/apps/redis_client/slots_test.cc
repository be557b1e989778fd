#include "apps/redis_client/slots.h"

#include <gtest/gtest.h>

#include <set>

namespace bloomery::redis_client {
namespace {

TEST(Slots, AreThoseOfTheServer) {
  EXPECT_EQ(slot_of("123456789"), 0x31c3);  // the check value of CRC-16/XMODEM
  EXPECT_EQ(slot_of("foo"), 12182);         // CLUSTER KEYSLOT of Redis
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(Slots, ATagStandsForTheKey) {
  EXPECT_EQ(slot_of("seen:{foo}"), slot_of("foo"));
  EXPECT_EQ(slot_of("{foo}{bar}"), slot_of("foo"));
  EXPECT_EQ(slot_of("a{{foo}}b"), slot_of("{foo"));
  EXPECT_NE(slot_of("seen:{}foo"), slot_of("foo"));  // an empty tag is none
  EXPECT_NE(slot_of("seen:{foo"), slot_of("foo"));
}

TEST(ShardTags, AreTheSmallestNumbersOfMiddleSlots) {
  const std::vector<std::string> tags = shard_tags(12);
  ASSERT_EQ(tags.size(), 12U);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const auto wanted = static_cast<std::uint16_t>((2 * i + 1) * 8192 / 12);
    EXPECT_EQ(middle_slot(i, 12), wanted);
    EXPECT_EQ(slot_of(tags[i]), wanted);
    for (int smaller = 0; smaller < std::stoi(tags[i]); ++smaller)
      ASSERT_NE(slot_of(std::to_string(smaller)), wanted);
  }
}

// Pinned: clients in other languages know these.
TEST(ShardTags, OfTwelve) {
  const std::vector<std::string> tags = shard_tags(12);
  std::string all;
  for (const std::string& tag : tags) all += tag + " ";
  EXPECT_EQ(all, "4944 48576 3330 42733 1296 4779 20959 2821 8459 2481 16248 506 ");
}

TEST(ShardTags, SpreadEvenlyOverAnyEvenClusterOfPrimaries) {
  for (const std::uint32_t shards : {12U, 24U, 48U, 1000U})
    for (const std::uint32_t primaries : {1U, 2U, 3U, 4U}) {
      std::vector<std::uint32_t> count(primaries);
      for (const std::string& tag : shard_tags(shards)) ++count[slot_of(tag) * primaries / kSlots];
      for (const std::uint32_t of_one : count) {
        EXPECT_GE(of_one, shards / primaries);
        EXPECT_LE(of_one, shards / primaries + (shards % primaries != 0 ? 1 : 0));
      }
    }
}

TEST(ShardTags, ExistForEverySlot) {
  const std::vector<std::string> tags = shard_tags(kSlots);
  std::set<std::uint16_t> slots;
  for (const std::string& tag : tags) slots.insert(slot_of(tag));
  EXPECT_EQ(slots.size(), kSlots);
  EXPECT_EQ(shard_tags(1).size(), 1U);
}

}  // namespace
}  // namespace bloomery::redis_client
