#include "bloomery/filter/seeded/builder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <map>

#include "tests/base/scratch_folder.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

using testing::ManyKeys;
using Numbers = std::vector<std::uint64_t>;
using Blocks = std::map<std::uint64_t, std::vector<Hash128>>;

const KeyHash kNumberKeys{Hasher{Profile::kAes, 7}, true};

Numbers numbers(std::size_t count, std::uint64_t first = 0) {
  Numbers keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = (first + i) * 0x9e3779b97f4a7c15;
  return keys;
}

// 65 bytes per block, seed included.
BlockShape shape_of(std::size_t keys, double bits_per_key, std::uint32_t probes) {
  return {static_cast<std::uint64_t>(static_cast<double>(keys) * bits_per_key / 520) + 1, probes,
          true};
}

Result<BlockFilter> build(BlockShape shape, const KeyHash& hash,
                          std::span<const std::uint64_t> keys, const SeededOptions& options = {}) {
  auto builder = SeededBuilder::create(shape, hash, options);
  if (!builder) return builder.error();
  if (auto added = builder->add(keys); !added) return added.error();
  return builder->finish();
}

Blocks by_block(BlockShape shape, const KeyHash& hash, const Numbers& keys) {
  Blocks blocks;
  for (const std::uint64_t key : keys) {
    const Hash128 digest = hash.hasher(key);
    blocks[block::block_of(digest.low, shape.blocks)].push_back(digest);
  }
  return blocks;
}

struct Choice {
  block::BlockMask sectors{};
  std::uint32_t seed = 0;
};

// From the words of the definition, one step each: for every window set the block it leads to, the
// product of the sectors' fills, and the smallest of them; ties go to the lowest number.
Choice choice_in_words(const std::vector<Hash128>& keys, std::uint32_t probes, std::uint32_t sets) {
  constexpr std::uint8_t kFamilies[5][2] = {
      {0x0f, 0x4b}, {0x1f, 0x5b}, {0x3f, 0x77}, {0x7f, 0xdf}, {0xff, 0xff}};
  Choice best;
  std::uint64_t smallest = ~std::uint64_t{0};
  for (std::uint32_t seed = 0; seed < sets; ++seed) {
    block::BlockMask sectors{};
    for (const Hash128& key : keys) {
      const std::uint64_t turn = key.low >> 20 & 15;
      const std::uint8_t used =
          std::rotl(kFamilies[probes - 4][turn >> 3], static_cast<int>(turn & 7));
      for (std::uint32_t i = 0; i < 8; ++i)
        if ((used >> i & 1) != 0)
          sectors[i] |= std::uint64_t{1} << (std::rotr(key.high, block::kWindows[seed][i]) & 63);
    }
    std::uint64_t product = 1;
    for (const std::uint64_t sector : sectors)
      product *= static_cast<std::uint64_t>(std::popcount(sector));
    if (product < smallest) {
      smallest = product;
      best = {sectors, seed};
    }
  }
  return best;
}

void expect_block(const BlockFilter& filter, std::uint64_t number, const Choice& expected) {
  const auto offset = static_cast<std::size_t>(number);
  EXPECT_EQ(filter.view().seeds()[offset], expected.seed) << "block " << number;
  const ByteView block = filter.bytes().subspan(offset * block::kBlockBytes, block::kBlockBytes);
  EXPECT_TRUE(std::ranges::equal(block, std::as_bytes(std::span{expected.sectors})))
      << "block " << number;
}

TEST(SeededBuilder, EveryBlockHasTheWindowsThatTheDefinitionChooses) {
  for (std::uint32_t probes = 4; probes <= 8; ++probes)
    for (const std::uint32_t sets : {8U, 16U, 32U}) {
      const Numbers keys = numbers(4000, probes);
      const BlockShape shape = shape_of(keys.size(), 10, probes);
      const auto filter = build(shape, kNumberKeys, keys, {.window_sets = sets});
      ASSERT_TRUE(filter) << filter.error().message;
      const Blocks blocks = by_block(shape, kNumberKeys, keys);
      ASSERT_GT(blocks.size(), 70U);
      for (const auto& [number, hashes] : blocks)
        expect_block(*filter, number, choice_in_words(hashes, probes, sets));
    }
}

TEST(SeededBuilder, EveryKernelChoosesTheSameWindows) {
  for (std::uint32_t probes = 4; probes <= 8; ++probes) {
    const Numbers keys = numbers(4000);
    const BlockShape shape = shape_of(keys.size(), 12, probes);
    const auto filter = build(shape, kNumberKeys, keys);
    ASSERT_TRUE(filter) << filter.error().message;
    for (const simd::BlockKernels& kernels : simd::block_kernels())
      for (const auto& [number, hashes] : by_block(shape, kNumberKeys, keys)) {
        Choice choice;
        choice.seed = kernels.best_windows(hashes.data(), hashes.size(), probes, block::kWindowSets,
                                           choice.sectors);
        expect_block(*filter, number, choice);
      }
  }
}

TEST(SeededBuilder, EveryKernelHashesBatchesAsTheHasherDoesOneByOne) {
  const Numbers keys = numbers(77);
  const ManyKeys texts{77, "a key with a longer name than one stripe of sixty-four bytes, or none"};
  std::vector<Hash128> hashes(keys.size());
  for (const simd::BlockKernels& kernels : simd::block_kernels())
    for (const Profile profile :
         {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kMix, Profile::kSiphash}) {
      const Hasher hasher{profile, 99, {}};
      kernels.hash_numbers(hasher, keys.data(), keys.size(), hashes.data());
      for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(hashes[i], hasher(keys[i]));
      if (!hasher.accepts_bytes()) continue;
      kernels.hash_bytes(hasher, texts.views().data(), texts.size(), hashes.data());
      for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(hashes[i], hasher(texts.views()[i]));
    }
}

TEST(SeededBuilder, ThreadsAndMemoryDoNotChangeTheBytes) {
  const Numbers keys = numbers(100'000);
  const BlockShape shape = shape_of(keys.size(), 10, 6);
  const ScratchFolder folder;
  const auto alone = build(shape, kNumberKeys, keys);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->provenance().keys_inserted, keys.size());
  for (const std::uint32_t threads : {1U, 2U, 3U})
    for (const std::uint64_t memory : {0U, 300'000U, 1U << 30}) {
      const auto filter =
          build(shape, kNumberKeys, keys,
                {.memory_bytes = memory, .spill_directory = folder.path(), .threads = threads});
      ASSERT_TRUE(filter) << filter.error().message;
      EXPECT_TRUE(*filter == *alone) << threads << " threads, " << memory << " bytes";
      EXPECT_EQ(filter->provenance(), alone->provenance());
    }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(SeededBuilder, OrderAndDuplicatesDoNotChangeTheBytes) {
  Numbers keys = numbers(20'000);
  const BlockShape shape = shape_of(keys.size(), 8, 5);
  const auto once = build(shape, kNumberKeys, keys);
  std::ranges::reverse(keys);
  for (std::size_t i = 0; i < 10'000; ++i) keys.push_back(keys[i % 3000]);
  const auto again = build(shape, kNumberKeys, keys);
  ASSERT_TRUE(once && again);
  EXPECT_TRUE(*once == *again);
  EXPECT_EQ(again->provenance().keys_inserted, 20'000U);
}

TEST(SeededBuilder, OneBlockTakesFarTooManyKeysAndDuplicates) {
  Numbers keys = numbers(3000);
  keys.insert(keys.end(), 200'000, keys[5]);
  const auto filter = build({1, 4, true}, kNumberKeys, keys, {.memory_bytes = 0});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(filter->provenance().keys_inserted, 3000U);
  EXPECT_EQ(filter->health().verdict, Verdict::kSaturated);
  for (const std::uint64_t key : keys) ASSERT_TRUE(filter->may_contain(key));
}

TEST(SeededBuilder, NoKeysMakeAnEmptyFilter) {
  const auto filter = build({1000, 6, true}, kNumberKeys, {});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(*filter == BlockFilter({1000, 6, true}, kNumberKeys));
  EXPECT_EQ(filter->provenance().keys_inserted, 0U);
}

TEST(SeededBuilder, NumbersBytesAndHashesMeanTheSameKeys) {
  const Numbers keys = numbers(5000);
  std::vector<ByteView> views;
  std::vector<Hash128> hashes;
  for (const std::uint64_t& key : keys) {
    views.push_back(std::as_bytes(std::span{&key, 1}));
    hashes.push_back(kNumberKeys.hasher(key));
  }
  const BlockShape shape = shape_of(keys.size(), 10, 7);
  const auto expected = build(shape, kNumberKeys, keys);
  auto builder = SeededBuilder::create(shape, kNumberKeys);
  ASSERT_TRUE(builder->add(std::span<const ByteView>{views}));
  EXPECT_TRUE(*builder->finish() == *expected);
  ASSERT_TRUE(builder->add(std::span<const Hash128>{hashes}));  // the builder began anew
  EXPECT_TRUE(*builder->finish() == *expected);
}

TEST(SeededBuilder, EveryKeyIsFoundAndLaterInsertsUseTheSeeds) {
  const KeyHash hash{Hasher{Profile::kXxh3, 3}};
  const ManyKeys keys{20'000};
  const ManyKeys later{2000, "later"};
  auto builder = SeededBuilder::create(shape_of(keys.size(), 10, 6), hash, {.threads = 2});
  ASSERT_TRUE(builder->add(keys.views()));
  auto filter = *builder->finish();
  const std::vector<std::uint8_t> seeds{filter.view().seeds().begin(), filter.view().seeds().end()};
  EXPECT_GT(std::ranges::count_if(seeds, [](auto seed) { return seed != 0; }), 300);
  std::vector<std::uint8_t> answers(keys.size());
  EXPECT_EQ(filter.may_contain_batch(keys.views(), answers), keys.size());
  EXPECT_LT(filter.may_contain_batch(later.views(), answers), 60U);
  for (const ByteView key : later) filter.insert(key);
  for (const ByteView key : later) EXPECT_TRUE(filter.may_contain(key));
  for (const ByteView key : keys) EXPECT_TRUE(filter.may_contain(key));
  EXPECT_TRUE(std::ranges::equal(seeds, filter.view().seeds()));
}

TEST(SeededBuilder, RefusesWhatCannotBeBuilt) {
  const auto refused = [](BlockShape shape, const KeyHash& hash, const SeededOptions& options) {
    const auto builder = SeededBuilder::create(shape, hash, options);
    return !builder && builder.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused({10, 6, true}, kNumberKeys, {}));
  EXPECT_TRUE(refused({10, 6, false}, kNumberKeys, {}));
  EXPECT_TRUE(refused({0, 6, true}, kNumberKeys, {}));
  EXPECT_TRUE(refused({10, 9, true}, kNumberKeys, {}));
  EXPECT_TRUE(refused({10, 6, true}, kNumberKeys, {.threads = 0}));
  EXPECT_TRUE(refused({10, 6, true}, kNumberKeys, {.window_sets = 33}));
  EXPECT_TRUE(refused({10, 6, true}, {Hasher{Profile::kMix}, false}, {}));
}

TEST(SeededBuilder, AFolderThatIsNotThereIsAnErrorThatStays) {
  const ScratchFolder folder;
  const Numbers keys = numbers(10'000);
  auto builder =
      SeededBuilder::create(shape_of(keys.size(), 10, 6), kNumberKeys,
                            {.memory_bytes = 0, .spill_directory = folder / "not there"});
  ASSERT_TRUE(builder);
  const auto added = builder->add(std::span<const std::uint64_t>{keys});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kIo);
  EXPECT_NE(added.error().message.find("not there"), std::string::npos);
  EXPECT_FALSE(builder->add(std::span{keys}.first(1)));
  const auto filter = builder->finish();
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().message, added.error().message);
}

// A limit on the size of files stands in for a full disk.
TEST(SeededBuilder, AFullDiskIsAnErrorAndLeavesNothing) {
  const ScratchFolder folder;
  const Numbers keys = numbers(200'000);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto on_signal = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{std::uint64_t{1} << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto filter = build(shape_of(keys.size(), 10, 6), kNumberKeys, keys,
                            {.memory_bytes = 100'000, .spill_directory = folder.path()});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, on_signal);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, ErrorCode::kIo);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(SeededBuilder, TheModelMeetsTheMeasuredRateAndTheKeysAreEstimated) {
  const Numbers keys = numbers(200'000);
  for (const double bits_per_key : {4.0, 6.0, 10.0, 16.0})
    for (std::uint32_t probes = 4; probes <= 8; ++probes) {
      const BlockShape shape = shape_of(keys.size(), bits_per_key, probes);
      const auto filter = build(shape, {Hasher{Profile::kXxh3}, true}, keys);
      const Health health = filter->health();
      const auto count = static_cast<double>(keys.size());
      const double expected = expected_rate(shape, count);
      const double deviation = rate_deviation(shape, count);
      EXPECT_NEAR(health.error_rate, expected, 0.02 * expected + 3 * deviation)
          << bits_per_key << " bits per key, " << probes << " probes";
      EXPECT_LT(health.error_rate, expected_rate({shape.blocks * 65 / 64, probes, false}, count));
      EXPECT_NEAR(health.estimated_keys, count, 0.01 * count);
    }
}

TEST(SeededBuilder, SizedForAGoalItKeepsIt) {
  const Numbers keys = numbers(100'000);
  for (const double rate : {0.05, 0.01, 0.001}) {
    const auto shape = block_shape_for({keys.size(), rate}, true);
    std::size_t over = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const KeyHash hash{Hasher{Profile::kXxh3, seed}, true};
      const double measured = build(*shape, hash, keys)->health().error_rate;
      over += measured > rate ? 1 : 0;
      EXPECT_GT(measured, 0.93 * rate);
    }
    EXPECT_LE(over, 2U) << rate;
  }
}

}  // namespace
}  // namespace bloomery
