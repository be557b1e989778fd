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

// Asks before and after each insert, in memory that ends at an unreadable page.
template <class Key>
void expect_definition(const BlockKernels& row, BlockTarget target, std::span<const Key> keys,
                       std::span<const Hash128> hashes) {
  SCOPED_TRACE(::testing::Message()
               << row.name << ", " << profile_name(target.hasher.profile()) << ", " << target.count
               << " blocks, " << target.probes << " probes, seeded " << (target.seeds != nullptr));
  const auto bytes = static_cast<std::size_t>(target.count) * block::kBlockBytes;
  const GuardedMemory memory{bytes};
  const std::span<std::byte> blocks = memory.back<std::byte>(bytes);
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

template <class Key>
void expect_definition_of_all(const Hasher& hasher, std::span<const Key> keys,
                              std::span<const Hash128> hashes) {
  for (const std::uint64_t blocks : {1, 3, 64, 4097}) {
    const auto seeds = testing::random_seeds(blocks);
    for (const std::uint32_t probes : testing::kAllProbes)
      for (const bool seeded : {false, true})
        for (const BlockKernels& row : block_kernels()) {
          if (seeded && probes > block::kMostProbes) continue;
          expect_definition<Key>(row,
                                 {nullptr, blocks, seeded ? seeds.data() : nullptr, probes, hasher},
                                 keys, hashes);
          if (::testing::Test::HasFailure()) return;  // one is enough to read
        }
  }
}

TEST(OneKey, OfNumbersAndTheirHashesFollowsTheDefinition) {
  const std::vector<std::uint64_t> numbers = testing::repeating_numbers(400);
  for (const Profile profile : testing::kProfiles) {
    const Hasher hasher = hasher_of(profile, 0xfedcba9876543210);
    const auto hashes = testing::hashes_of<std::uint64_t>(hasher, numbers);
    expect_definition_of_all<std::uint64_t>(hasher, numbers, hashes);
    expect_definition_of_all<Hash128>(hasher, hashes, hashes);
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
    expect_definition_of_all<ByteView>(hasher, keys, hashes);
  }
}

}  // namespace
}  // namespace bloomery::simd
