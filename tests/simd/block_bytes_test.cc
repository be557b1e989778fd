// The bytes of filters of fixed keys, pinned: every compiler, instruction set and signedness of
// char must make these. They stand in files, so a change here breaks the files of users.
#include <gtest/gtest.h>

#include "bloomery/hash/xxh.h"
#include "bloomery/simd/block_kernels.h"
#include "tests/simd/block_model.h"

namespace bloomery::simd {
namespace {

constexpr std::uint64_t kBlocks = 203;
constexpr std::uint64_t kSeed = 0x0123456789abcdef;

struct Pinned {
  Profile profile;
  std::uint32_t probes;
  bool seeded;
  std::uint64_t of_numbers;  // XXH3-64 of all blocks
  std::uint64_t of_texts;    // 0: the profile hashes no bytes
};
constexpr Pinned kPinned[] = {
    {Profile::kXxh3, 5, false, 0xd9e110d4c06edf17U, 0x29cc7a93eae32839U},
    {Profile::kXxh3, 8, false, 0xfab80b17be1d33dbU, 0x609bfb6fc22639b2U},
    {Profile::kXxh3, 8, true, 0x4f4d451b192ee3fcU, 0x5b533f7fd46e7c5cU},
    {Profile::kAes, 5, false, 0x013a71d8d2a0c262U, 0xa12eec69afad8449U},
    {Profile::kAes, 8, false, 0x7db5b0661b620108U, 0xe4c7697b63aa115cU},
    {Profile::kAes, 8, true, 0xf5b0bfdbb48ca859U, 0xcec2e23c00abe01aU},
    {Profile::kMix, 5, false, 0xf6f09048fb4c8360U, 0},
    {Profile::kMix, 8, false, 0x268f03763917352dU, 0},
    {Profile::kMix, 8, true, 0x65f8586b30944a4eU, 0},
    {Profile::kSiphash, 5, false, 0xb08291735a33398aU, 0x19046407f39d56c6U},
    {Profile::kSiphash, 8, false, 0x2a51efa50fd7bfcbU, 0xaf7c3049147926b8U},
    {Profile::kSiphash, 8, true, 0x45d111d8007b6371U, 0x8bceb642a29d876aU},
    {Profile::kXxh3_64, 5, false, 0xfb99c1d86c134713U, 0x070a37dc7a925634U},
    {Profile::kXxh3_64, 8, false, 0xcd18ea3a9ee5dd1cU, 0x70e83354fe2cc76dU},
    {Profile::kXxh3_64, 8, true, 0x16211b2fbcf52c22U, 0x57eaac4c915feea9U},
};

template <class Key>
std::uint64_t checksum(const Pinned& pinned, const KeyKernels<Key>& kernels,
                       std::span<const Key> keys) {
  const std::vector<std::uint8_t> seeds = testing::random_seeds(kBlocks);
  std::vector<std::byte> memory(kBlocks * block::kBlockBytes);
  const BlockTarget target{memory.data(), kBlocks, pinned.seeded ? seeds.data() : nullptr,
                           pinned.probes, testing::hasher_of(pinned.profile, kSeed)};
  kernels.insert_batch(target, keys.data(), keys.size(), {});
  return xxh3_64(memory);
}

TEST(BlockBytes, AreTheSameForEveryRowAndCompiler) {
  const std::vector<std::uint64_t> numbers = testing::repeating_numbers(10'000);
  const testing::Texts texts{numbers};
  for (const Pinned& pinned : kPinned)
    for (const BlockKernels& row : block_kernels()) {
      SCOPED_TRACE(::testing::Message() << row.name << " " << profile_name(pinned.profile) << " "
                                        << pinned.probes << " probes, seeded " << pinned.seeded);
      EXPECT_EQ(checksum<std::uint64_t>(pinned, row.numbers, numbers), pinned.of_numbers);
      if (pinned.of_texts != 0) {
        EXPECT_EQ(checksum(pinned, row.bytes, texts.views()), pinned.of_texts);
      }
    }
}

// Bytes of 0x80 and more, which a careless char turns negative.
TEST(BlockBytes, AreThoseOfTheDefinitionForHighBytes) {
  const std::string text = "\x80\xff\xfe\x7f caf\xc3\xa9 \xf0\x9f\x8c\xb8";
  for (const Profile profile :
       {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash})
    for (std::size_t length = 0; length <= text.size(); ++length)
      for (const BlockKernels& row : block_kernels()) {
        std::vector<std::byte> memory(kBlocks * block::kBlockBytes);
        const BlockTarget target{memory.data(), kBlocks, nullptr, 8,
                                 testing::hasher_of(profile, kSeed)};
        const ByteView key = bytes_of(text).first(length);
        row.bytes.one_key(target).insert(target, key);
        testing::BlockModel model{target};
        model.insert(target.hasher(key));
        ASSERT_TRUE(std::ranges::equal(memory, model.bytes())) << row.name << " " << length;
      }
}

// Seed 0 has code of its own in the loops, and so has every range of lengths.
TEST(BlockBytes, AreThoseOfTheDefinitionForEveryLength) {
  std::vector<std::byte> text(300);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>(i * 37);
  std::vector<ByteView> keys;
  for (std::size_t length = 0; length <= text.size(); ++length)
    keys.push_back(ByteView{text}.first(length));
  for (const std::uint64_t seed : {std::uint64_t{0}, kSeed})
    for (const BlockKernels& row : block_kernels()) {
      std::vector<std::byte> memory(kBlocks * block::kBlockBytes);
      const BlockTarget target{memory.data(), kBlocks, nullptr, 8, Hasher{Profile::kXxh3_64, seed}};
      testing::BlockModel model{target};
      for (const ByteView key : keys) model.insert(target.hasher(key));
      for (const ByteView key : keys) row.bytes.one_key(target).insert(target, key);
      EXPECT_TRUE(std::ranges::equal(memory, model.bytes())) << row.name << " one by one";
      std::ranges::fill(memory, std::byte{0});
      row.bytes.insert_batch(target, keys.data(), keys.size(), {});
      EXPECT_TRUE(std::ranges::equal(memory, model.bytes())) << row.name << " batch";
    }
}

}  // namespace
}  // namespace bloomery::simd
