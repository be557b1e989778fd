// Keys of every length where a byte too many would crash, and the choice of window sets.
#include <gtest/gtest.h>

#include <optional>

#include "bloomery/simd/block_kernels.h"
#include "tests/full_run.h"
#include "tests/simd/block_model.h"
#include "tests/simd/guarded_memory.h"

namespace bloomery::simd {
namespace {

using testing::BlockModel;
using testing::GuardedMemory;
using testing::hasher_of;

constexpr std::size_t kLongest = 300;
constexpr std::uint64_t kBlocks = 97;

// Every key of these lengths, ending right before the unreadable page or starting right after one.
std::vector<ByteView> keys_at_the_edges(const GuardedMemory& memory) {
  std::mt19937_64 random{8};
  for (std::byte& byte : memory.all()) byte = static_cast<std::byte>(random());
  std::vector<ByteView> keys;
  for (std::size_t length = 0; length <= kLongest; ++length) {
    keys.push_back(memory.back<const std::byte>(length));
    keys.push_back(memory.front<const std::byte>(length));
  }
  return keys;
}

TEST(BlockKernels, ReadNoByteBeforeOrAfterAKey) {
  const GuardedMemory memory{4096};
  const std::vector<ByteView> keys = keys_at_the_edges(memory);
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash})
    for (const BlockKernels& row : block_kernels()) {
      SCOPED_TRACE(::testing::Message() << row.name << " " << profile_name(profile));
      BlockTarget target{nullptr, kBlocks, nullptr, 6, hasher_of(profile, 9)};
      std::vector<std::byte> single(kBlocks * block::kBlockBytes);
      std::vector<std::byte> batched(single.size());
      BlockModel model{target};
      for (const ByteView key : keys) {
        target.blocks = single.data();
        ASSERT_EQ(row.bytes.one_key(target).insert(target, key), model.insert(target.hasher(key)))
            << key.size();
        ASSERT_TRUE(row.bytes.one_key(target).may_contain(target, key)) << key.size();
      }
      target.blocks = batched.data();
      // Each length comes first, last and in between in a group of eight.
      for (std::size_t from = 0; from < 8; ++from)
        row.bytes.insert_batch(target, keys.data() + from, keys.size() - from, {});
      EXPECT_TRUE(std::ranges::equal(single, model.bytes()));
      EXPECT_TRUE(std::ranges::equal(batched, model.bytes()));
      EXPECT_EQ(row.bytes.may_contain_batch(target, keys.data(), keys.size(), {}), keys.size());
    }
}

// Keys of one to four lanes in any order, and now and then one of another length.
TEST(BlockKernels, HashGroupsOfMixedLengthsAsSingleKeys) {
  const GuardedMemory memory{4096};
  std::mt19937_64 random{12};
  for (std::byte& byte : memory.all()) byte = static_cast<std::byte>(random());
  std::vector<ByteView> keys;
  for (std::size_t i = 0; i < 4000; ++i) {
    const std::size_t longest = 16 + 16 * (i / 1000);  // of this thousand
    const std::size_t length =
        random() % 50 == 0 ? random() % 16 + random() % 2 * 65 : 16 + random() % (longest - 15);
    keys.push_back(random() % 2 == 0 ? memory.back<const std::byte>(length)
                                     : memory.front<const std::byte>(length));
  }
  for (const BlockKernels& row : block_kernels())
    for (const std::uint32_t probes : {6, 8}) {
      BlockTarget target{nullptr, kBlocks, nullptr, probes, hasher_of(Profile::kAes, 9)};
      BlockModel model{target};
      std::vector<std::byte> batched(kBlocks * block::kBlockBytes);
      target.blocks = batched.data();
      for (std::size_t at = 0; at < keys.size(); at += 40) {
        for (std::size_t i = at; i < at + 40; ++i) model.insert(target.hasher(keys[i]));
        row.bytes.insert_batch(target, keys.data() + at, 40, {});
        ASSERT_TRUE(std::ranges::equal(batched, model.bytes())) << row.name << " " << at;
        if (at % 200 == 160) {  // a full filter shows no wrong bit
          std::ranges::fill(batched, std::byte{0});
          model = BlockModel{target};
        }
      }
    }
}

// The keys of later groups are fetched ahead: never those behind the last one.
TEST(BlockKernels, ReadNoKeyBehindTheLast) {
  constexpr std::size_t kMost = 300;
  constexpr std::uint64_t kFetchedBlocks = 20'000;  // 1.28 MB
  std::vector<std::byte> blocks(kFetchedBlocks * block::kBlockBytes);
  std::vector<Hash128> hashes(kMost);
  const GuardedMemory memory{kMost * sizeof(ByteView)};
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes})
    for (const BlockKernels& row : block_kernels())
      for (const std::size_t count : {std::size_t{1}, std::size_t{8}, std::size_t{50}, kMost}) {
        const std::span<ByteView> keys = memory.back<ByteView>(count);
        std::ranges::fill(keys, bytes_of("a key of some length"));
        const BlockTarget target{blocks.data(), kFetchedBlocks, nullptr, 6, hasher_of(profile, 9)};
        row.bytes.insert_batch(target, keys.data(), count, {});
        EXPECT_EQ(row.bytes.may_contain_batch(target, keys.data(), count, {}), count) << row.name;
        row.hash_bytes(target.hasher, keys.data(), count, hashes.data());
        EXPECT_EQ(hashes[count - 1], target.hasher(keys[0])) << row.name;
      }
}

TEST(BlockKernels, HashKeysAlikeAtEveryAddress) {
  alignas(64) std::byte room[kLongest + 128] = {};
  const testing::Texts texts{testing::repeating_numbers(40)};
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash})
    for (const BlockKernels& row : block_kernels())
      for (const ByteView text : texts.views()) {
        std::vector<std::byte> memory(kBlocks * block::kBlockBytes);
        const BlockTarget target{memory.data(), kBlocks, nullptr, 8, hasher_of(profile, 1)};
        row.bytes.one_key(target).insert(target, text);
        for (std::size_t offset = 0; offset < 64; ++offset) {
          std::ranges::copy(text, room + offset);
          const ByteView moved{room + offset, text.size()};
          ASSERT_TRUE(row.bytes.one_key(target).may_contain(target, moved))
              << row.name << " at " << offset;
        }
      }
}

// An empty view may have no address at all.
TEST(BlockKernels, TakeAnEmptyKeyWithoutAnAddress) {
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash})
    for (const BlockKernels& row : block_kernels()) {
      std::vector<std::byte> memory(kBlocks * block::kBlockBytes);
      const BlockTarget target{memory.data(), kBlocks, nullptr, 8, hasher_of(profile, 1)};
      EXPECT_TRUE(row.bytes.one_key(target).insert(target, ByteView{}));
      EXPECT_TRUE(row.bytes.one_key(target).may_contain(target, ByteView{memory.data(), 0}));
      const std::vector<ByteView> keys(9);
      EXPECT_EQ(row.bytes.may_contain_batch(target, keys.data(), keys.size(), {}), keys.size());
    }
}

struct Choice {
  std::uint8_t set = 0;
  block::BlockMask block{};
};

// By the words: the smallest product of the sectors' fills, ties to the lowest number.
Choice slow_choice(std::span<const Hash128> keys, std::uint32_t probes, std::uint32_t sets) {
  Choice best;
  std::optional<long double> smallest;
  for (std::uint32_t set = 0; set < sets; ++set) {
    block::BlockMask sectors{};
    for (const Hash128 key : keys)
      for (std::uint32_t i = 0; i < block::kSectors; ++i)
        if ((block::sectors_of(key.low, probes) >> i & 1) != 0)
          sectors[i] |= block::bit_of(key.high, i, set);
    long double product = 1;
    for (const std::uint64_t sector : sectors) product *= std::popcount(sector);
    if (smallest && product >= *smallest) continue;
    smallest = product;
    best = {static_cast<std::uint8_t>(set), sectors};
  }
  return best;
}

TEST(BlockKernels, ChooseTheWindowsThatLeaveABlockEmptiest) {
  std::mt19937_64 random{10};
  std::uint32_t chosen = 0;  // as bits: all sets should win now and then
  const int rounds = testing::full_run() ? 20'000 : 1'000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Hash128> keys(random() % 90);
    for (Hash128& key : keys) key = {random(), random()};
    const auto probes = static_cast<std::uint32_t>(4 + round % 5);
    const auto sets = static_cast<std::uint32_t>(round % 3 == 0 ? 1 + random() % 32 : 32);
    const Choice expected = slow_choice(keys, probes, sets);
    chosen |= 1U << expected.set;
    for (const BlockKernels& row : block_kernels()) {
      block::BlockMask filled{};
      ASSERT_EQ(row.best_windows(keys.data(), keys.size(), probes, sets, filled), expected.set)
          << row.name << ", " << keys.size() << " keys, " << sets << " sets";
      ASSERT_EQ(filled, expected.block) << row.name;
    }
  }
  EXPECT_EQ(chosen, ~0U);
}

// Products up to 64 to the eighth, and blocks so full that every choice is the same.
TEST(BlockKernels, ChooseTheFirstWindowsWhereAllAreEqual) {
  std::mt19937_64 random{11};
  std::vector<Hash128> keys(3000);
  for (Hash128& key : keys) key = {random(), random()};
  block::BlockMask full;
  full.fill(~std::uint64_t{0});
  for (const BlockKernels& row : block_kernels()) {
    block::BlockMask filled{};
    EXPECT_EQ(row.best_windows(keys.data(), keys.size(), 8, 32, filled), 0) << row.name;
    EXPECT_EQ(filled, full) << row.name;
    EXPECT_EQ(row.best_windows(keys.data(), 0, 8, 32, filled), 0) << row.name;
    EXPECT_EQ(filled, block::BlockMask{}) << row.name;
  }
}

}  // namespace
}  // namespace bloomery::simd
