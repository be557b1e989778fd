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

TEST(KeccakKernels, NothingIsReadPastAKey) {
  for (const KeccakKernels& row : keccak_kernels())
    for (std::size_t size = 0; size < 140; ++size) {
      const testing::GuardedMemory memory{size + 1};
      const ByteView key = memory.back<std::byte>(size);
      Keccak256Digest digest;
      row.hash(&key, 1, &digest);
      EXPECT_EQ(digest, keccak256(key)) << row.name << ", length " << size;
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
