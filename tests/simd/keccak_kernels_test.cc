#include "bloomery/simd/keccak_kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bloomery/hash/keccak.h"
#include "tests/simd/guarded_memory.h"

namespace bloomery::simd {
namespace {

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Lengths around the block of 136 bytes, in an order that mixes long keys among short ones.
std::vector<std::vector<std::byte>> keys_of_all_lengths() {
  std::mt19937_64 random{1};
  std::vector<std::vector<std::byte>> keys;
  for (std::size_t size = 0; size < 300; ++size)
    keys.push_back(random_bytes(random, size * 89 % 300));
  return keys;
}

TEST(KeccakKernels, EveryRowEqualsTheDefinition) {
  const auto keys = keys_of_all_lengths();
  const std::vector<ByteView> views{keys.begin(), keys.end()};
  for (const KeccakKernels& row : keccak_kernels()) {
    SCOPED_TRACE(row.name);
    std::vector<Keccak256Digest> digests(keys.size());
    row.hash(views.data(), views.size(), digests.data());
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_EQ(digests[i], keccak256(keys[i])) << "length " << keys[i].size();
  }
}

TEST(KeccakKernels, BatchesOfEverySizeWriteTheirDigestsAndNoMore) {
  std::mt19937_64 random{2};
  std::vector<std::vector<std::byte>> keys;
  for (std::size_t i = 0; i < 40; ++i) keys.push_back(random_bytes(random, i % 4 == 0 ? 20 : 32));
  const std::vector<ByteView> views{keys.begin(), keys.end()};
  for (const KeccakKernels& row : keccak_kernels())
    for (std::size_t count = 0; count <= keys.size(); ++count) {
      std::vector<Keccak256Digest> digests(keys.size() + 1);
      row.hash(views.data(), count, digests.data());
      for (std::size_t i = 0; i < digests.size(); ++i)
        EXPECT_EQ(digests[i], i < count ? keccak256(keys[i]) : Keccak256Digest{})
            << row.name << ", " << i << " of " << count;
    }
}

// Neighbours that end after different numbers of blocks share lanes.
TEST(KeccakKernels, LongKeysOfDifferentLengthsShareLanes) {
  std::mt19937_64 random{3};
  std::vector<std::vector<std::byte>> keys;
  for (std::size_t i = 0; i < 500; ++i) {
    const std::size_t around = 136 * (1 + random() % 9);
    keys.push_back(random_bytes(random, around - 2 + random() % 5));
    if (i % 7 == 0) keys.push_back(random_bytes(random, random() % 136));
  }
  const std::vector<ByteView> views{keys.begin(), keys.end()};
  for (const KeccakKernels& row : keccak_kernels())
    for (const std::size_t count : {1U, 2U, 3U, 5U, 8U, 9U, 500U}) {
      std::vector<Keccak256Digest> digests(count);
      row.hash(views.data(), count, digests.data());
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(digests[i], keccak256(keys[i]))
            << row.name << ", " << i << " of " << count << ", length " << keys[i].size();
    }
}

TEST(KeccakKernels, NothingIsReadPastAKey) {
  for (const KeccakKernels& row : keccak_kernels())
    for (std::size_t size = 0; size < 300; ++size) {
      const testing::GuardedMemory memory{size + 1};
      const ByteView key = memory.back<std::byte>(size);
      Keccak256Digest digest;
      row.hash(&key, 1, &digest);
      EXPECT_EQ(digest, keccak256(key)) << row.name << ", length " << size;
      const ByteView two[] = {key, key};
      Keccak256Digest digests[2];
      row.hash(two, 2, digests);
      EXPECT_EQ(digests[1], digest) << row.name << ", length " << size;
    }
}

TEST(KeccakKernels, TheTableEndsInBaselineAndTheActiveRowIsInIt) {
  const auto rows = keccak_kernels();
  EXPECT_EQ(rows.back().name, "baseline");
  bool found = false;
  for (const KeccakKernels& row : rows) found |= row.name == active_keccak_kernels().name;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace bloomery::simd
