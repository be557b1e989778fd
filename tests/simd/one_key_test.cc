// One key at a time against the definition. Built twice: once with calls through the table, and
// once for the machine that builds, where the fastest functions are inlined here.
#include "bloomery/simd/one_key.h"

#include <gtest/gtest.h>

#include "tests/simd/block_model.h"
#include "tests/simd/guarded_memory.h"

namespace bloomery::simd {
namespace {

using testing::BlockModel;
using testing::GuardedMemory;
using testing::hasher_of;

std::size_t size_of_blocks(const BlockTarget& target) {
  return static_cast<std::size_t>(target.count) * block::kBlockBytes;
}

template <class Key>
using Check = void (*)(const BlockKernels&, BlockTarget, std::span<const Key>,
                       std::span<const Hash128>);

// Asks before and after each insert, in memory that ends at an unreadable page.
template <class Key>
void expect_inserts(const BlockKernels& row, BlockTarget target, std::span<const Key> keys,
                    std::span<const Hash128> hashes) {
  const GuardedMemory memory{size_of_blocks(target)};
  const std::span<std::byte> blocks = memory.back<std::byte>(size_of_blocks(target));
  target.blocks = blocks.data();
  const OneKeyKernels one_key{row, target};
  BlockModel model{target};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool was_in = model.may_contain(hashes[i]);
    ASSERT_EQ(one_key.may_contain(target, keys[i]), was_in) << "key " << i;
    ASSERT_EQ(one_key.insert(target, keys[i]), !was_in) << "key " << i;
    model.insert(hashes[i]);
    ASSERT_TRUE(one_key.may_contain(target, keys[i])) << "key " << i;
  }
  ASSERT_TRUE(testing::same_bytes(blocks, model.bytes()));
}

// Which of its ways an add takes in the code that was compiled with these flags.
enum class Way : std::uint8_t { kAdd, kLines, kApart };
template <class Key>
Way expected_way([[maybe_unused]] const BlockKernels& row,
                 [[maybe_unused]] const BlockTarget& target) {
  [[maybe_unused]] const bool can_inline =
      target.hasher.profile() == Profile::kAes && target.seeds == nullptr;
#if defined(BLOOMERY_HAS_AVX512)
  if (!can_inline || row.name != "avx512") return Way::kApart;
  if (block::lines_of(target.probes) == 1) return Way::kAdd;
  return std::is_same_v<Key, ByteView> ? Way::kApart : Way::kLines;
#elif defined(BLOOMERY_HAS_AVX2)
  const bool has_avx2 = row.name == "avx2" || row.name == "avx512";
  return can_inline && has_avx2 && target.probes == block::kMostProbes ? Way::kAdd : Way::kApart;
#else
  return Way::kAdd;
#endif
}

template <class Key>
bool is_adding(const OneKeyKernels& one_key) {
  return std::is_same_v<Key, ByteView> ? one_key.is_adding_bytes() : one_key.is_adding_numbers();
}
// As the owner of a filter does it.
template <class Key>
Way add_as_owner(const OneKeyKernels& one_key, const BlockTarget& target, Key key) {
  if (is_adding<Key>(one_key)) {
    one_key.add(target, key);
    return Way::kAdd;
  }
  if (one_key.add_lines(target, key)) return Way::kLines;
  (void)one_key.insert(target, key);
  return Way::kApart;
}

template <class Key>
void expect_adds(const BlockKernels& row, BlockTarget target, std::span<const Key> keys,
                 std::span<const Hash128> hashes) {
  const GuardedMemory memory{size_of_blocks(target)};
  const std::span<std::byte> blocks = memory.back<std::byte>(size_of_blocks(target));
  target.blocks = blocks.data();
  constexpr bool kBytes = std::is_same_v<Key, ByteView>;
  OneKeyKernels one_key{row, target, !kBytes};
  BlockModel model{target};
  const auto expect_nothing_started = [&] {
    ASSERT_FALSE(one_key.is_adding_numbers());
    ASSERT_FALSE(one_key.is_adding_bytes());
    for (const Key key : keys) ASSERT_FALSE(one_key.add_lines(target, key));
    ASSERT_TRUE(testing::same_bytes(blocks, model.bytes()));
  };
  expect_nothing_started();
  one_key.start_adding(!kBytes);
  ASSERT_FALSE(!kBytes && one_key.is_adding_bytes());
  const Way way = expected_way<Key>(row, target);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(add_as_owner(one_key, target, keys[i]), way) << "key " << i;
    model.insert(hashes[i]);
  }
  ASSERT_TRUE(testing::same_bytes(blocks, model.bytes()));
  one_key.stop_adding();
  expect_nothing_started();
}

template <class Key>
void expect_of_all(Check<Key> check, const Hasher& hasher, std::span<const Key> keys,
                   std::span<const Hash128> hashes) {
  for (const std::uint64_t blocks : {1, 3, 64, 4097}) {
    const auto seeds = testing::random_seeds(blocks);
    for (const std::uint32_t probes : testing::kAllProbes)
      for (const bool seeded : {false, true})
        for (const BlockKernels& row : block_kernels()) {
          if (seeded && probes > block::kMostProbes) continue;
          SCOPED_TRACE(::testing::Message()
                       << row.name << ", " << profile_name(hasher.profile()) << ", " << blocks
                       << " blocks, " << probes << " probes, seeded " << seeded);
          check(row, {nullptr, blocks, seeded ? seeds.data() : nullptr, probes, hasher}, keys,
                hashes);
          if (::testing::Test::HasFailure()) return;  // one is enough to read
        }
  }
}

TEST(OneKey, OfNumbersAndTheirHashesFollowsTheDefinition) {
  const std::vector<std::uint64_t> numbers = testing::repeating_numbers(400);
  for (const Profile profile : testing::kProfiles) {
    const Hasher hasher = hasher_of(profile, 0xfedcba9876543210);
    const auto hashes = testing::hashes_of<std::uint64_t>(hasher, numbers);
    expect_of_all<std::uint64_t>(expect_inserts, hasher, numbers, hashes);
    expect_of_all<std::uint64_t>(expect_adds, hasher, numbers, hashes);
    expect_of_all<Hash128>(expect_inserts, hasher, hashes, hashes);
  }
}

// Keys of all lengths right before an unreadable page, and right after one.
TEST(OneKey, OfBytesFollowsTheDefinitionAndReadsNoByteTooMany) {
  const GuardedMemory memory{4096};
  std::mt19937_64 random{9};
  for (std::byte& byte : memory.all()) byte = static_cast<std::byte>(random());
  std::vector<ByteView> keys;
  for (std::size_t length = 0; length <= 200; ++length) {
    keys.push_back(memory.back<const std::byte>(length));
    keys.push_back(memory.front<const std::byte>(length));
  }
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash}) {
    const Hasher hasher = hasher_of(profile, 0xfedcba9876543210);
    const auto hashes = testing::hashes_of<ByteView>(hasher, keys);
    expect_of_all<ByteView>(expect_inserts, hasher, keys, hashes);
    expect_of_all<ByteView>(expect_adds, hasher, keys, hashes);
  }
}

}  // namespace
}  // namespace bloomery::simd
