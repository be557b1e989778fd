// Every row of the table against the definition. All arrays end at an unreadable page.
#include "bloomery/simd/block_kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "bloomery/simd/prefetch.h"
#include "tests/simd/block_model.h"
#include "tests/simd/guarded_memory.h"

namespace bloomery::simd {
namespace {

using testing::BlockModel;
using testing::GuardedMemory;
using testing::hasher_of;
using testing::kProfiles;
using Answer = std::vector<std::uint8_t>;

constexpr std::size_t kMostKeys = 1000;
constexpr std::size_t kBatches[] = {0, 1, 7, 8, 9, 63, 64, 65, kMostKeys};

// What the definition says of inserting the first half of the keys and the rest, asked in between.
struct Expected {
  Answer is_new;
  Answer asked;  // all keys, when the first half is in
  BlockModel model;

  Expected(const BlockTarget& target, std::span<const Hash128> hashes) : model{target} {
    const std::size_t half = hashes.size() / 2;
    for (const Hash128 hash : hashes.first(half)) is_new.push_back(model.insert(hash) ? 1 : 0);
    for (const Hash128 hash : hashes) asked.push_back(model.may_contain(hash) ? 1 : 0);
    for (const Hash128 hash : hashes.subspan(half)) is_new.push_back(model.insert(hash) ? 1 : 0);
  }
};

Answer bits_of(std::span<const std::uint8_t> bytes) {
  Answer bits((bytes.size() + 7) / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | bytes[i] << i % 8);
  return bits;
}
std::size_t ones_in(std::span<const std::uint8_t> bytes) {
  return static_cast<std::size_t>(std::ranges::count(bytes, 1));
}
Answer copy_of(std::span<const std::uint8_t> from) { return {from.begin(), from.end()}; }

// Runs one batch function with every form of answer asked for, and holds each to the expected.
// Acting twice must change nothing, which is so for lookups.
class AnswersAtTheEdge {
 public:
  explicit AnswersAtTheEdge(std::size_t count)
      : bytes_{memory().first.back<std::uint8_t>(count)},
        bits_{memory().second.back<std::uint8_t>((count + 7) / 8)} {
    std::ranges::fill(bytes_, std::uint8_t{7});
    std::ranges::fill(bits_, std::uint8_t{0xff});
  }
  Answers both() { return {bytes_.data(), bits_.data()}; }
  Answers only_bytes() { return {bytes_.data(), nullptr}; }
  Answers only_bits() { return {nullptr, bits_.data()}; }
  Answer bytes() const { return copy_of(bytes_); }
  Answer bits() const { return copy_of(bits_); }

 private:
  static std::pair<GuardedMemory, GuardedMemory>& memory() {
    static std::pair<GuardedMemory, GuardedMemory> both{64 << 10, 64 << 10};
    return both;
  }
  std::span<std::uint8_t> bytes_;
  std::span<std::uint8_t> bits_;
};

template <class Key>
void expect_lookups(const KeyKernels<Key>& kernels, const BlockTarget& target,
                    std::span<const Key> keys, const Answer& expected) {
  const std::size_t count = keys.size();
  AnswersAtTheEdge answers{count};
  EXPECT_EQ(kernels.may_contain_batch(target, keys.data(), count, answers.both()),
            ones_in(expected));
  EXPECT_EQ(answers.bytes(), expected);
  EXPECT_EQ(answers.bits(), bits_of(expected));
  AnswersAtTheEdge apart{count};
  kernels.may_contain_batch(target, keys.data(), count, apart.only_bytes());
  kernels.may_contain_batch(target, keys.data(), count, apart.only_bits());
  EXPECT_EQ(apart.bytes(), expected);
  EXPECT_EQ(apart.bits(), bits_of(expected));
  EXPECT_EQ(kernels.may_contain_batch(target, keys.data(), count, {}), ones_in(expected));
  Answer one_by_one;
  for (const Key key : keys)
    one_by_one.push_back(kernels.one_key(target).may_contain(target, key) ? 1 : 0);
  EXPECT_EQ(one_by_one, expected);
}

// The first half in one batch, the rest in another.
template <class Key>
void expect_batches(const KeyKernels<Key>& kernels, const BlockTarget& target,
                    std::span<const Key> keys, const Expected& expected) {
  const std::size_t half = keys.size() / 2;
  AnswersAtTheEdge first{half};
  const Answer first_new{expected.is_new.begin(),
                         expected.is_new.begin() + static_cast<std::ptrdiff_t>(half)};
  EXPECT_EQ(kernels.insert_batch(target, keys.data(), half, first.both()), ones_in(first_new));
  EXPECT_EQ(first.bytes(), first_new);
  EXPECT_EQ(first.bits(), bits_of(first_new));
  expect_lookups(kernels, target, keys, expected.asked);
  const std::span<const Key> rest = keys.subspan(half);
  AnswersAtTheEdge second{rest.size()};
  const Answer second_new{expected.is_new.begin() + static_cast<std::ptrdiff_t>(half),
                          expected.is_new.end()};
  EXPECT_EQ(kernels.insert_batch(target, rest.data(), rest.size(), second.only_bytes()),
            ones_in(second_new));
  EXPECT_EQ(second.bytes(), second_new);
}

// Without answers: the same bits, from batches that are no whole number of groups.
template <class Key>
void expect_adds(const KeyKernels<Key>& kernels, const BlockTarget& target,
                 std::span<const Key> keys) {
  const std::size_t third = keys.size() / 3;
  kernels.add_batch(target, keys.data(), third, {});
  kernels.add_batch(target, keys.data() + third, keys.size() - third, {});
}

template <class Key>
void expect_single_keys(const KeyKernels<Key>& kernels, const BlockTarget& target,
                        std::span<const Key> keys, const Expected& expected) {
  Answer is_new;
  for (const Key key : keys) is_new.push_back(kernels.one_key(target).insert(target, key) ? 1 : 0);
  EXPECT_EQ(is_new, expected.is_new);
}

// In fresh memory at the edge, by batches and one by one.
template <class Key>
void expect_definition(const BlockKernels& row, const KeyKernels<Key> BlockKernels::*kind,
                       BlockTarget target, std::span<const Key> keys, const Expected& expected) {
  static const GuardedMemory key_memory{kMostKeys * sizeof(Hash128)};
  static const GuardedMemory block_memory{5000 * block::kBlockBytes};
  const std::span<Key> at_the_edge = key_memory.back<Key>(keys.size());
  std::ranges::copy(keys, at_the_edge.begin());
  const auto bytes = static_cast<std::size_t>(target.count) * block::kBlockBytes;
  // One filter as a cache line likes it, the other one byte off.
  for (const std::span<std::byte> blocks :
       {block_memory.back<std::byte>(bytes), block_memory.back<std::byte>(bytes + 1).first(bytes)})
    for (const int way : {0, 1, 2}) {
      std::memset(blocks.data(), 0, blocks.size());
      target.blocks = blocks.data();
      if (way == 0) expect_batches<Key>(row.*kind, target, at_the_edge, expected);
      if (way == 1) expect_single_keys<Key>(row.*kind, target, at_the_edge, expected);
      if (way == 2) expect_adds<Key>(row.*kind, target, at_the_edge);
      EXPECT_TRUE(testing::same_bytes(blocks, expected.model.bytes()));
    }
}

template <class Key>
void expect_every_row(const KeyKernels<Key> BlockKernels::*kind, const BlockTarget& target,
                      std::span<const Key> keys, std::span<const Hash128> hashes) {
  const Expected expected{target, hashes};
  for (const BlockKernels& row : block_kernels()) {
    SCOPED_TRACE(::testing::Message()
                 << row.name << ", " << profile_name(target.hasher.profile()) << ", "
                 << target.count << " blocks, " << target.probes << " probes, "
                 << (target.seeds == nullptr ? "plain, " : "seeded, ") << keys.size() << " keys");
    expect_definition(row, kind, target, keys, expected);
    if (::testing::Test::HasFailure()) return;  // one is enough to read
  }
}

// Calls use(target) for every shape, plain and seeded.
template <class Use>
void for_every_target(const Hasher& hasher, Use use) {
  for (const std::uint64_t blocks : {1, 2, 3, 64, 4096, 4097}) {
    const Answer seeds = testing::random_seeds(blocks);
    for (const std::uint32_t probes : testing::kAllProbes)
      for (const bool seeded : {false, true})
        if (!seeded || probes <= block::kMostProbes)
          use(BlockTarget{nullptr, blocks, seeded ? seeds.data() : nullptr, probes, hasher});
  }
}

class KernelsOfProfile : public ::testing::TestWithParam<Profile> {
 protected:
  const Hasher hasher_ = hasher_of(GetParam(), 0x123456789abcdef);
  const std::vector<std::uint64_t> numbers_ = testing::repeating_numbers(kMostKeys);
};
class KernelsOfByteProfile : public KernelsOfProfile {};  // mix hashes numbers only

const auto name_of_profile = [](const auto& test) {
  return test.param == Profile::kXxh3_64 ? "xxh3_64" : std::string{profile_name(test.param)};
};
INSTANTIATE_TEST_SUITE_P(BlockKernels, KernelsOfProfile, ::testing::ValuesIn(kProfiles),
                         name_of_profile);
INSTANTIATE_TEST_SUITE_P(BlockKernels, KernelsOfByteProfile,
                         ::testing::Values(Profile::kXxh3, Profile::kXxh3_64, Profile::kAes,
                                           Profile::kSiphash),
                         name_of_profile);

TEST_P(KernelsOfProfile, SetAndFindTheBitsOfNumbers) {
  const std::span<const std::uint64_t> numbers{numbers_};
  const auto hashes = testing::hashes_of(hasher_, numbers);
  for_every_target(hasher_, [&](const BlockTarget& target) {
    for (const std::size_t count : kBatches)
      expect_every_row(&BlockKernels::numbers, target, numbers.first(count),
                       std::span{hashes}.first(count));
  });
}

TEST_P(KernelsOfByteProfile, SetAndFindTheBitsOfBytes) {
  const testing::Texts texts{numbers_};
  const auto hashes = testing::hashes_of(hasher_, texts.views());
  for_every_target(hasher_, [&](const BlockTarget& target) {
    for (const std::size_t count : kBatches)
      expect_every_row(&BlockKernels::bytes, target, texts.views().first(count),
                       std::span{hashes}.first(count));
  });
}

TEST(BlockKernels, SetAndFindTheBitsOfHashes) {
  std::mt19937_64 random{5};
  std::vector<Hash128> hashes(kMostKeys);
  for (std::size_t i = 0; i < kMostKeys; ++i)
    hashes[i] = i % 5 == 4 ? hashes[i - random() % 5] : Hash128{random(), random()};
  hashes[0] = {0, 0};
  hashes[1] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  for_every_target(Hasher{}, [&](const BlockTarget& target) {
    for (const std::size_t count : kBatches)
      expect_every_row<Hash128>(&BlockKernels::hashes, target, std::span{hashes}.first(count),
                                std::span{hashes}.first(count));
  });
}

// --- filters so large that they are fetched ahead
// -------------------------------------------------

constexpr std::uint64_t kLargeBytes[] = {1 << 20, 8 << 20, 32 << 20};

TEST(BlockKernels, TheLargeFiltersOfTheseTestsFollowEveryPlan) {
  for (const std::span<const PrefetchPlan> plans :
       {std::span<const PrefetchPlan>{kLookupPlans}, std::span<const PrefetchPlan>{kInsertPlans}}) {
    std::set<std::uint64_t> seen = {plan_in(plans, 4096 * block::kBlockBytes).up_to_bytes};
    for (const std::uint64_t bytes : kLargeBytes) seen.insert(plan_in(plans, bytes).up_to_bytes);
    EXPECT_EQ(seen.size(), plans.size());
    for (const PrefetchPlan& plan : plans) EXPECT_LE(plan.far, kFarthest);
  }
}

template <class Key>
void expect_large(const KeyKernels<Key> BlockKernels::*kind, BlockTarget target,
                  std::span<const Key> keys, std::span<const Hash128> hashes) {
  BlockModel model{target};
  Answer is_new;
  for (const Hash128 hash : hashes) is_new.push_back(model.insert(hash) ? 1 : 0);
  for (const BlockKernels& row : block_kernels()) {
    SCOPED_TRACE(::testing::Message()
                 << row.name << ", " << target.count << " blocks, " << target.probes
                 << " probes, seeded " << (target.seeds != nullptr));
    const GuardedMemory memory{static_cast<std::size_t>(target.count) * block::kBlockBytes};
    target.blocks = memory.all().data();
    std::size_t at = 0;
    for (const std::size_t count : {0, 1, 7, 8, 9, 63, 64, 65, 1000, 104, 105, 1574}) {
      AnswersAtTheEdge answers{count};
      (row.*kind).insert_batch(target, keys.data() + at, count, answers.both());
      const std::span<const std::uint8_t> wanted{is_new.data() + at, count};
      ASSERT_EQ(answers.bytes(), copy_of(wanted)) << count;
      ASSERT_EQ(answers.bits(), bits_of(wanted)) << count;
      at += count;
    }
    ASSERT_EQ(at, keys.size());
    ASSERT_TRUE(testing::same_bytes(memory.all(), model.bytes()));
    expect_lookups(row.*kind, target, keys, Answer(keys.size(), 1));
  }
}

TEST(BlockKernels, LargeFiltersAreFetchedAheadAndGetTheSameBits) {
  const std::vector<std::uint64_t> numbers = testing::repeating_numbers(3000);
  const testing::Texts texts{numbers};
  const Hasher xxh3 = hasher_of(Profile::kXxh3, 3);
  const Hasher aes = hasher_of(Profile::kAes, 3);
  const auto of_numbers = testing::hashes_of<std::uint64_t>(aes, numbers);
  const auto of_texts = testing::hashes_of(xxh3, texts.views());
  const auto of_aes_texts = testing::hashes_of(aes, texts.views());
  for (const std::uint64_t bytes : kLargeBytes) {
    const std::uint64_t blocks = bytes / block::kBlockBytes;
    const Answer seeds = testing::random_seeds(blocks);
    for (const std::uint32_t probes : {5U, 8U, 16U, 24U})
      for (const bool seeded : {false, true}) {
        if (seeded && probes > block::kMostProbes) continue;
        BlockTarget target{nullptr, blocks, seeded ? seeds.data() : nullptr, probes, aes};
        expect_large<std::uint64_t>(&BlockKernels::numbers, target, numbers, of_numbers);
        if (probes >= 8) expect_large(&BlockKernels::bytes, target, texts.views(), of_aes_texts);
        target.hasher = xxh3;
        if (probes == 5) expect_large(&BlockKernels::bytes, target, texts.views(), of_texts);
        expect_large<Hash128>(&BlockKernels::hashes, target, of_numbers, of_numbers);
      }
  }
}

// Absent keys in a filter that is half full, so that answers of both kinds are mixed.
TEST(BlockKernels, LargeFiltersAnswerAbsentKeysAsTheDefinitionDoes) {
  std::mt19937_64 random{17};
  for (const std::uint64_t bytes : kLargeBytes) {
    const BlockTarget shape{nullptr, bytes / block::kBlockBytes, nullptr, 4, Hasher{}};
    const GuardedMemory memory{static_cast<std::size_t>(bytes)};
    BlockTarget target = shape;
    target.blocks = memory.all().data();
    for (std::uint64_t& word : memory.front<std::uint64_t>(bytes / 8))
      word = random() | random();  // three bits of four
    std::vector<Hash128> asked(1003);
    for (Hash128& hash : asked) hash = {random(), random()};
    Answer expected;
    for (const Hash128 hash : asked) {
      const block::BlockMask mask = block::mask_of(hash.low, hash.high, 4);
      const std::size_t word = block::block_of(hash.low, target.count) * 8;
      bool all = true;
      for (std::size_t i = 0; i < 8; ++i)
        all = all && (memory.front<std::uint64_t>(bytes / 8)[word + i] & mask[i]) == mask[i];
      expected.push_back(all ? 1 : 0);
    }
    ASSERT_GT(ones_in(expected), 200U);
    ASSERT_LT(ones_in(expected), 500U);
    for (const BlockKernels& row : block_kernels())
      expect_lookups<Hash128>(row.hashes, target, asked, expected);
  }
}

TEST(BlockKernels, LargeFiltersOfSeveralLinesAnswerAbsentKeysAsTheDefinitionDoes) {
  std::mt19937_64 random{18};
  for (const std::uint64_t bytes : kLargeBytes)
    for (const std::uint32_t probes : {16U, 32U}) {
      const GuardedMemory memory{static_cast<std::size_t>(bytes)};
      const std::span<std::uint64_t> words = memory.front<std::uint64_t>(bytes / 8);
      // Fifteen bits of sixteen: of the keys a third is found in two lines, an eighth in four.
      for (std::uint64_t& word : words) word = random() | random() | random() | random();
      const BlockTarget target{memory.all().data(), bytes / block::kBlockBytes, nullptr, probes,
                               Hasher{}};
      std::vector<Hash128> asked(2003);
      for (Hash128& hash : asked) hash = {random(), random()};
      Answer expected;
      for (const Hash128 hash : asked) {
        bool all = true;
        block::LineWords line{hash.low, hash.high};
        for (std::uint32_t i = 0; i < block::lines_of(probes); ++i, line = block::next_line(line)) {
          const block::BlockMask mask = block::mask_of(line.place, line.bits, block::kMostProbes);
          const std::size_t first = block::block_of(line.place, target.count) * 8;
          for (std::size_t j = 0; j < 8; ++j) all = all && (words[first + j] & mask[j]) == mask[j];
        }
        expected.push_back(all ? 1 : 0);
      }
      ASSERT_GT(ones_in(expected), 150U);
      ASSERT_LT(ones_in(expected), 900U);
      for (const BlockKernels& row : block_kernels())
        expect_lookups<Hash128>(row.hashes, target, asked, expected);
    }
}

// --- numbers of blocks beyond 32 bits
// ----------------------------------------------------------------

TEST(BlockKernels, BlockNumbersAreExactForEverySize) {
  std::mt19937_64 random{6};
  std::vector<std::uint64_t> places = {0, 1, 0xffffffff, 0x100000000, ~0ULL, ~0ULL << 32};
  while (places.size() < 1001) places.push_back(random());
  for (const BlockKernels& row : block_kernels())
    for (const std::uint64_t blocks :
         {1ULL, 2ULL, 3ULL, 64ULL, 4097ULL, (1ULL << 26) + 64, (1ULL << 32) - 1, 1ULL << 32,
          (1ULL << 32) + 1, 1ULL << 33, 1ULL << 39})
      for (const std::size_t count : {0, 1, 7, 8, 9, 1001}) {
        std::vector<std::uint64_t> numbers(count + 1, 42);
        row.block_numbers(places.data(), count, blocks, numbers.data());
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(numbers[i], block::block_of(places[i], blocks)) << row.name << " " << blocks;
        ASSERT_EQ(numbers[count], 42U);
      }
}

// 256 GiB of addresses, of which only the pages of the keys become memory.
TEST(BlockKernels, AFilterOfMoreThanFourThousandMillionBlocksWorks) {
  constexpr std::uint64_t kBlocks = (std::uint64_t{1} << 32) + 12'345;
  std::mt19937_64 random{7};
  std::vector<Hash128> hashes(200);
  for (Hash128& hash : hashes) hash = {random(), random()};
  hashes[0].low = ~std::uint64_t{0};  // the last block
  for (const BlockKernels& row : block_kernels()) {
    void* memory = mmap(nullptr, kBlocks * block::kBlockBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) GTEST_SKIP() << "this system has not enough addresses";
    const BlockTarget target{static_cast<std::byte*>(memory), kBlocks, nullptr, 6, Hasher{}};
    EXPECT_EQ(row.hashes.insert_batch(target, hashes.data(), hashes.size(), {}), hashes.size());
    for (const Hash128 hash : hashes) {
      const auto* sectors = static_cast<const std::uint64_t*>(memory) +
                            block::block_of(hash.low, kBlocks) * block::kSectors;
      const block::BlockMask mask = block::mask_of(hash.low, hash.high, 6);
      ASSERT_TRUE(std::equal(mask.begin(), mask.end(), sectors)) << row.name;
      EXPECT_FALSE(row.hashes.one_key(target).insert(target, hash)) << row.name;
    }
    EXPECT_EQ(row.hashes.may_contain_batch(target, hashes.data(), hashes.size(), {}),
              hashes.size());
    munmap(memory, kBlocks * block::kBlockBytes);
  }
}

}  // namespace
}  // namespace bloomery::simd
