#include "bloomery/filter/block/block.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/filter/many_keys.h"
#include "tests/filter/random_hashes.h"
#include "tests/full_run.h"

namespace bloomery {
namespace {

using testing::ManyKeys;
using testing::random_hashes;

constexpr KeyHash kNumbers{Hasher{Profile::kAes, 3}, true};

std::span<const Hash128> view(const std::vector<Hash128>& hashes) { return hashes; }

BlockFilter filled(BlockShape shape, std::uint64_t seed, std::size_t keys = 300) {
  BlockFilter filter{shape};
  filter.insert_batch(view(random_hashes(keys, seed)));
  return filter;
}

template <class T>
void expect_refused(const Result<T>& result, std::string_view reason) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(result.error().message.find(reason), std::string::npos) << result.error().message;
}

TEST(BlockFilter, SetsExactlyTheBitsOfTheDefinition) {
  for (const KeyHash& hash : {KeyHash{}, KeyHash{Hasher{Profile::kSiphash, 0, SipKey{}}},
                              KeyHash{Hasher{Profile::kAes, 77}}}) {
    const BlockShape shape{41, 6};
    BlockFilter filter{shape, hash};
    std::vector<std::uint64_t> sectors(41 * 8);
    for (const ByteView key : ManyKeys{200}) {
      filter.insert(key);
      const Hash128 digest = hash.hasher(key);
      const block::BlockMask mask = block::mask_of(digest.low, digest.high, 6);
      for (std::size_t i = 0; i < 8; ++i)
        sectors[block::block_of(digest.low, 41) * 8 + i] |= mask[i];
    }
    EXPECT_TRUE(std::ranges::equal(filter.bytes(), std::as_bytes(std::span{sectors})));
  }
}

TEST(BlockFilter, IsMadeForItsGoal) {
  const Goal goal{10'000, 0.01};
  const auto filter = BlockFilter::for_goal(goal);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->block_shape(), *block_shape_for(goal));
  EXPECT_EQ(filter->provenance().goal, goal);
  EXPECT_EQ(filter->provenance().keys_inserted, 0U);
  EXPECT_EQ(filter->size_bits(), filter->block_shape().blocks * 512);
  EXPECT_EQ(filter->size_bytes() * 8, filter->size_bits());
  EXPECT_EQ(filter->shape(), (Shape{filter->size_bits(), filter->block_shape().probes}));
  expect_refused(BlockFilter::for_goal({10'000, 1e-13}), "classic");
  expect_refused(BlockFilter::for_goal({0, 0.01}), "");
}

TEST(BlockFilter, InsertSaysWhetherABitChangedAndCountsIt) {
  BlockFilter filter{BlockShape{3, 5}};
  std::uint64_t added = 0;
  for (const ByteView key : ManyKeys{500}) {
    const bool was_in = filter.may_contain(key);
    const auto before = filter.clone();
    const bool is_new = filter.insert(key);
    EXPECT_EQ(is_new, !was_in);
    EXPECT_EQ(is_new, !(before == filter));
    EXPECT_FALSE(filter.insert(key));
    EXPECT_TRUE(filter.may_contain(key));
    added += is_new ? 1 : 0;
    EXPECT_EQ(filter.provenance().keys_inserted, added);
  }
  EXPECT_LT(added, 500U);  // some were taken for known
  filter.set_provenance({{}, std::nullopt});
  filter.insert(bytes_of("one more"));
  EXPECT_EQ(filter.provenance().keys_inserted, std::nullopt);
}

TEST(BlockFilter, BatchesOfEveryKindEqualSingleKeys) {
  const ManyKeys texts{1001};
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1001; ++i) numbers.push_back(i % 700 * 977);
  const auto check = [](auto keys, const KeyHash& hash) {
    using Key = typename decltype(keys)::value_type;
    const std::span<const Key> asked{keys};
    BlockFilter one{BlockShape{37, 5}, hash};
    BlockFilter batch{BlockShape{37, 5}, hash};
    BlockFilter silent{BlockShape{37, 5}, hash};
    std::vector<std::uint8_t> expected;
    for (const Key key : asked) expected.push_back(one.insert(key) ? 1 : 0);
    std::vector<std::uint8_t> is_new(asked.size(), 2);
    const auto added = static_cast<std::size_t>(std::ranges::count(expected, 1));
    EXPECT_EQ(batch.insert_batch(asked, is_new), added);
    EXPECT_EQ(silent.insert_batch(asked), added);
    EXPECT_EQ(is_new, expected);
    EXPECT_TRUE(one == batch);
    EXPECT_TRUE(one == silent);
    EXPECT_EQ(batch.provenance().keys_inserted, added);
    std::vector<std::uint8_t> answers(asked.size(), 2);
    std::vector<std::uint8_t> bits((asked.size() + 7) / 8, 0xff);
    EXPECT_EQ(batch.may_contain_batch(asked, answers), asked.size());
    EXPECT_EQ(batch.may_contain_bits(asked, bits), asked.size());
    EXPECT_EQ(std::ranges::count(answers, 1), std::ssize(asked));
    EXPECT_EQ(bits.back(), 0x01);  // 1001 = 125 * 8 + 1
  };
  check(std::vector<ByteView>{texts.begin(), texts.end()}, KeyHash{});
  check(std::vector<ByteView>{texts.begin(), texts.end()}, kNumbers);  // strangers, hashed apart
  check(numbers, kNumbers);
  check(numbers, KeyHash{Hasher{Profile::kMix, 9}, true});
  check(random_hashes(1001, 4), KeyHash{});
}

TEST(BlockFilter, AddsTheBitsThatInsertSets) {
  for (const KeyHash& hash : {kNumbers, KeyHash{Hasher{Profile::kXxh3, 3}, true}})
    for (const std::uint32_t probes : {6U, 8U}) {
      BlockFilter added{{41, probes}, hash};
      BlockFilter inserted{{41, probes}, hash};
      for (std::uint64_t key = 0; key < 200; ++key) {
        if (key % 3 == 0)
          added.add(ByteView{std::as_bytes(std::span{&key, 1})});
        else
          added.add(key);
        inserted.insert(key);
      }
      EXPECT_TRUE(std::ranges::equal(added.bytes(), inserted.bytes()));
    }
  for (const Profile profile : {Profile::kAes, Profile::kXxh3}) {
    BlockFilter added{{41, 8}, KeyHash{Hasher{profile, 3}}};
    BlockFilter inserted{{41, 8}, KeyHash{Hasher{profile, 3}}};
    for (const ByteView key : ManyKeys{200}) {
      added.add(key);
      inserted.insert(key);
    }
    EXPECT_TRUE(std::ranges::equal(added.bytes(), inserted.bytes()));
  }
}

TEST(BlockFilter, ANumberAndItsBytesAreTheSameKey) {
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix, Profile::kSiphash}) {
    BlockFilter filter{BlockShape{1000, 8}, {Hasher{profile, 5}, true}};
    for (std::uint64_t i = 0; i < 100; ++i) filter.insert(i << 40);
    std::size_t found = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      std::byte raw[8];
      store_le(raw, i << 40);
      found += filter.may_contain(ByteView{raw}) ? 1 : 0;
      EXPECT_EQ(filter.may_contain(ByteView{raw}), filter.may_contain(i << 40));
    }
    EXPECT_EQ(found, 100U) << profile_name(profile);
  }
}

TEST(BlockFilter, AViewOfForeignMemoryAnswersAlike) {
  const BlockFilter filter = filled({50, 7}, 1);
  const BlockView<const std::byte> mapped{filter.block_shape(), filter.bytes(), filter.hash()};
  EXPECT_EQ(mapped.shape(), filter.block_shape());
  EXPECT_EQ(mapped.hash(), filter.hash());
  EXPECT_EQ(mapped.bytes().size(), filter.size_bytes());
  const auto asked = random_hashes(2000, 2);
  std::vector<std::uint8_t> answers(asked.size());
  std::vector<std::uint8_t> expected(asked.size());
  EXPECT_EQ(mapped.may_contain_batch(view(asked), {answers.data(), nullptr}),
            filter.may_contain_batch(view(asked), expected));
  EXPECT_EQ(answers, expected);
  for (const Hash128 hash : asked) EXPECT_EQ(mapped.may_contain(hash), filter.may_contain(hash));
}

TEST(BlockFilter, ResetEmptiesItAndForgetsTheCount) {
  BlockFilter filter = filled({50, 7}, 1);
  filter.set_provenance({Goal{5, 0.5}, 300});
  filter.reset();
  EXPECT_TRUE(filter == BlockFilter(BlockShape{50, 7}));
  EXPECT_EQ(filter.provenance(), (Provenance{Goal{5, 0.5}, 0}));
}

TEST(BlockFilter, MergeEqualsInsertingBoth) {
  BlockFilter both = filled({50, 6}, 1);
  both.insert_batch(view(random_hashes(300, 2)));
  BlockFilter merged = filled({50, 6}, 1);
  const BlockFilter other = filled({50, 6}, 2);
  const std::uint64_t sum = *merged.provenance().keys_inserted + *other.provenance().keys_inserted;
  ASSERT_TRUE(merged.merge(other));
  EXPECT_TRUE(merged == both);
  EXPECT_EQ(merged.provenance().keys_inserted, sum);
  BlockFilter uncounted = filled({50, 6}, 2);
  uncounted.set_provenance({{}, std::nullopt});
  ASSERT_TRUE(merged.merge(uncounted));
  EXPECT_EQ(merged.provenance().keys_inserted, std::nullopt);
}

TEST(BlockFilter, IntersectKeepsTheCommonKeysAndFewerBits) {
  BlockFilter one = filled({200, 6}, 1);
  BlockFilter other = filled({200, 6}, 2);
  const auto common = random_hashes(100, 3);
  one.insert_batch(view(common));
  other.insert_batch(view(common));
  BlockFilter kept = one.clone();
  ASSERT_TRUE(kept.intersect(other));
  for (const Hash128 hash : common) EXPECT_TRUE(kept.may_contain(hash));
  EXPECT_TRUE(*kept.is_subset_of(one));
  EXPECT_TRUE(*kept.is_subset_of(other));
  EXPECT_FALSE(*one.is_subset_of(kept));
  EXPECT_LT(*kept.provenance().keys_inserted, *one.provenance().keys_inserted);
  EXPECT_GE(*kept.provenance().keys_inserted, 95U);
}

TEST(BlockFilter, ASubsetHasNoBitOfItsOwn) {
  const BlockFilter part = filled({50, 6}, 1);
  BlockFilter whole = part.clone();
  EXPECT_TRUE(*part.is_subset_of(whole));
  whole.insert_batch(view(random_hashes(50, 9)));
  EXPECT_TRUE(*part.is_subset_of(whole));
  EXPECT_FALSE(*whole.is_subset_of(part));
  EXPECT_TRUE(*BlockFilter(BlockShape{50, 6}).is_subset_of(part));
}

TEST(BlockFilter, CloneIsEqualAndIndependent) {
  BlockFilter filter = filled({50, 6, true}, 1);
  filter.set_provenance({Goal{300, 0.01}, 300});
  BlockFilter copy = filter.clone();
  EXPECT_TRUE(copy == filter);
  EXPECT_EQ(copy.provenance(), filter.provenance());
  EXPECT_NE(copy.bytes().data(), filter.bytes().data());
  EXPECT_TRUE(copy.insert(bytes_of("only here")));
  EXPECT_FALSE(copy == filter);
  const BlockFilter moved = std::move(copy);
  EXPECT_TRUE(moved.may_contain(bytes_of("only here")));
}

TEST(BlockFilter, AreEqualInShapeHashAndBytes) {
  const BlockFilter filter{BlockShape{50, 6}};
  EXPECT_TRUE(filter == BlockFilter(BlockShape{50, 6}));
  EXPECT_FALSE(filter == BlockFilter(BlockShape{51, 6}));
  EXPECT_FALSE(filter == BlockFilter(BlockShape{50, 7}));
  EXPECT_FALSE(filter == BlockFilter(BlockShape{50, 6, true}));
  EXPECT_FALSE(filter == BlockFilter(BlockShape{50, 6}, {Hasher{Profile::kXxh3, 1}}));
  EXPECT_FALSE(filter == BlockFilter(BlockShape{50, 6}, {Hasher{}, true}));
  BlockFilter counted = filter.clone();
  counted.set_provenance({Goal{1, 0.5}, 7});
  EXPECT_TRUE(filter == counted);  // where it came from is no part of what it answers
}

TEST(BlockFilter, OnlyFiltersOfOneKindUnite) {
  BlockFilter filter{BlockShape{50, 6}};
  const auto expect_strangers = [&](const BlockFilter& other, std::string_view reason) {
    expect_refused(filter.merge(other), reason);
    expect_refused(filter.intersect(other), reason);
    expect_refused(filter.is_subset_of(other), reason);
  };
  expect_strangers(BlockFilter{BlockShape{51, 6}}, "51");
  expect_strangers(BlockFilter{BlockShape{50, 7}}, "50 and 7");
  expect_strangers(BlockFilter(BlockShape{50, 6}, {Hasher{Profile::kAes}}), "xxh3 against aes");
  expect_strangers(BlockFilter(BlockShape{50, 6}, {Hasher{Profile::kXxh3, 1}}),
                   "both with xxh3, but with another seed");
  expect_strangers(BlockFilter(BlockShape{50, 6}, {Hasher{}, true}), "hash");
  expect_strangers(BlockFilter{BlockShape{50, 6, true}}, "seed");
}

BlockFilter seeded_with(std::uint8_t seed) {
  BlockFilter filter{BlockShape{20, 6, true}};
  std::ranges::fill(filter.bytes().last(20), std::byte{seed});
  return filter;
}

TEST(BlockFilter, SeededFiltersUseTheirSeedsAndUniteOnlyWithEqualOnes) {
  const auto keys = random_hashes(100, 5);
  BlockFilter one = seeded_with(9);
  BlockFilter other = seeded_with(9);
  BlockFilter plain{BlockShape{20, 6}};
  one.insert_batch(view(keys));
  plain.insert_batch(view(keys));
  EXPECT_EQ(one.size_bytes(), 20U * 65);
  EXPECT_EQ(one.size_bits(), 20U * 512);
  EXPECT_FALSE(std::ranges::equal(one.bytes().first(20 * 64), plain.bytes()));
  for (const Hash128 key : keys) EXPECT_TRUE(one.may_contain(key));
  ASSERT_TRUE(other.merge(one));
  EXPECT_TRUE(other == one);
  expect_refused(other.merge(seeded_with(8)), "seed");
  expect_refused(one.fold(2), "seeded");
  one.reset();
  EXPECT_TRUE(one == seeded_with(9));  // the seeds stay
}

void expect_folds(std::uint64_t blocks, std::uint64_t factor, std::size_t keys) {
  SCOPED_TRACE(::testing::Message() << blocks << " blocks by " << factor);
  for (const std::uint32_t probes : {5U, 8U}) {
    BlockFilter filter = filled({blocks, probes}, blocks, keys);
    const Provenance provenance{Goal{keys, 0.01}, keys};
    filter.set_provenance(provenance);
    const auto folded = filter.fold(factor);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_TRUE(*folded == filled({blocks / factor, probes}, blocks, keys));
    EXPECT_EQ(folded->provenance(), provenance);
  }
}

TEST(BlockFilter, AFoldIsTheFilterOfTheSameKeysInFewerBlocks) {
  for (const std::uint64_t blocks : {64, 192, 320, 960})
    for (const std::uint64_t factor : {1, 2, 3, 5, 64})
      if (blocks % factor == 0) expect_folds(blocks, factor, 20 * blocks);
  expect_folds(7, 7, 30);
  if (testing::full_run()) {
    expect_folds(std::uint64_t{1} << 20, 2, 5'000'000);
    expect_folds(std::uint64_t{1} << 20, 64, 5'000'000);
  }
  expect_refused(BlockFilter(BlockShape{64, 8}).fold(3), "64 blocks");
  expect_refused(BlockFilter(BlockShape{64, 8}).fold(128), "64 blocks");
  expect_refused(BlockFilter(BlockShape{64, 8}).fold(0), "");
}

// Also where the filter would not fit in the memory of a test: what decides is the block's number.
TEST(BlockFilter, NeighbouringBlocksFoldAtEverySize) {
  std::mt19937_64 random{13};
  for (const std::uint64_t blocks :
       {64ULL, 192ULL, 960ULL, 1ULL << 20, (1ULL << 26) + 64, 15ULL << 28, 1ULL << 39})
    for (const std::uint64_t factor : {2, 3, 5, 64}) {
      if (blocks % factor != 0) continue;
      std::vector<std::uint64_t> places = {0, 1, ~0ULL, ~0ULL - 1, 1ULL << 63, (1ULL << 63) - 1};
      for (int i = 0; i < 5000; ++i) {
        places.push_back(random());
        // The last place of one block and the first of the next.
        const block::Product next = block::Product{1 + random() % (blocks - 1)} << 64;
        const auto first = static_cast<std::uint64_t>((next + blocks - 1) / blocks);
        places.push_back(first);
        places.push_back(first - 1);
      }
      for (const std::uint64_t place : places)
        ASSERT_EQ(block::block_of(place, blocks) / factor, block::block_of(place, blocks / factor))
            << place << " of " << blocks << " by " << factor;
    }
}

}  // namespace
}  // namespace bloomery
