#include "bloomery/simd/step_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "bloomery/hash/murmur1.h"
#include "tests/simd/guarded_memory.h"

namespace bloomery::simd {
namespace {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_{seed} {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

// The rule as it reads, with a division.
bool plain_may_contain(const std::vector<std::byte>& bits, std::uint32_t probes,
                       std::uint32_t hash) {
  const std::uint32_t step = std::rotr(hash, 17);
  for (std::uint32_t i = 0; i < probes; ++i, hash += step) {
    const std::uint64_t bit = hash % (bits.size() * 8);
    if ((bits[bit / 8] >> (bit % 8) & std::byte{1}) == std::byte{0}) return false;
  }
  return true;
}

void plain_insert(std::vector<std::byte>& bits, std::uint32_t probes, std::uint32_t hash) {
  const std::uint32_t step = std::rotr(hash, 17);
  for (std::uint32_t i = 0; i < probes; ++i, hash += step) {
    const std::uint64_t bit = hash % (bits.size() * 8);
    bits[bit / 8] |= std::byte{1} << (bit % 8);
  }
}

std::vector<std::uint32_t> edge_hashes(std::uint32_t bytes, Random& random, std::size_t count) {
  std::vector<std::uint32_t> hashes = {0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8};
  for (const std::uint64_t times : {1UL, 2UL, 1000UL})
    for (const std::uint64_t off : {0UL, 7UL, 8UL})
      hashes.push_back(static_cast<std::uint32_t>(bytes * times * 8 - off));
  while (hashes.size() < count) hashes.push_back(random());
  hashes.resize(count);
  return hashes;
}

TEST(StepKernels, EveryRowSetsAndAsksTheBitsOfTheRule) {
  Random random{1};
  for (const StepKernels& kernels : step_kernels())
    for (const std::uint32_t bytes :
         {1U, 2U, 3U, 8U, 44U, 125U, 1250U, 4096U, 65537U, 300000U, 1U << 20})
      for (const std::uint32_t probes : {1U, 2U, 5U, 6U, 7U, 8U, 9U, 16U, 17U, 30U})
        for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 35UL}) {
          const auto hashes = edge_hashes(bytes, random, count);
          std::vector<std::byte> wanted(bytes), made(bytes);
          for (const std::uint32_t hash : hashes) plain_insert(wanted, probes, hash);
          kernels.insert_batch(made.data(), {bytes, probes}, hashes.data(), count);
          ASSERT_EQ(made, wanted) << kernels.name << ' ' << bytes << ' ' << probes << ' ' << count;
          for (const std::uint32_t hash : edge_hashes(bytes, random, 60))
            ASSERT_EQ(kernels.may_contain(made.data(), {bytes, probes}, hash),
                      plain_may_contain(wanted, probes, hash))
                << kernels.name << ' ' << bytes << ' ' << probes;
        }
}

TEST(StepKernels, DivisionIsExactForEveryNumberNearAMultiple) {
  Random random{2};
  for (const StepKernels& kernels : step_kernels())
    for (int round = 0; round < 3000; ++round) {
      const std::uint32_t bytes = 1 + random() % (1U << (1 + random() % 17));
      const std::uint32_t hash = bytes * 8 * (random() % (UINT32_MAX / (bytes * 8) + 1)) -
                                 static_cast<std::uint32_t>(round % 2);
      std::vector<std::byte> bits(bytes), wanted(bytes);
      kernels.insert_batch(bits.data(), {bytes, 1}, &hash, 1);
      plain_insert(wanted, 1, hash);
      ASSERT_EQ(bits, wanted) << kernels.name << ' ' << bytes << ' ' << hash;
      ASSERT_TRUE(kernels.may_contain(bits.data(), {bytes, 1}, hash)) << kernels.name;
    }
}

TEST(StepKernels, HaveARowForWhatTheProcessorCan) {
  std::vector<std::string_view> expected = {"baseline"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0)
    expected.insert(expected.begin(), "avx2");
#endif
  std::vector<std::string_view> names;
  for (const StepKernels& kernels : step_kernels()) names.push_back(kernels.name);
  EXPECT_EQ(names, expected);
}

TEST(StepKernels, KeysAreHashedAsMurmur1) {
  Random random{3};
  std::vector<std::byte> key(40);
  for (const StepKernels& kernels : step_kernels())
    for (std::size_t size = 0; size <= key.size(); ++size)
      for (int round = 0; round < 20; ++round) {
        for (std::byte& byte : key) byte = static_cast<std::byte>(random());
        const ByteView view = ByteView{key}.first(size);
        std::vector<std::byte> bits(50);
        for (std::byte& byte : bits) byte = static_cast<std::byte>(random() | random());
        const std::uint32_t seed = random();
        ASSERT_EQ(kernels.may_contain_key(bits.data(), {50, 6}, view, seed),
                  kernels.may_contain(bits.data(), {50, 6}, murmur1_unfinished(view, seed)))
            << kernels.name << ' ' << size;
      }
}

TEST(StepKernels, NothingBeyondTheFilterIsRead) {
  for (const StepKernels& kernels : step_kernels())
    for (const std::uint32_t bytes : {1U, 9U, 44U, 127U}) {
      const testing::GuardedMemory memory{bytes};
      for (std::byte* bits :
           {memory.front<std::byte>(bytes).data(), memory.back<std::byte>(bytes).data()})
        for (std::uint32_t hash = 0; hash < 5000; ++hash)
          (void)kernels.may_contain(bits, {bytes, 6 + hash % 4}, hash * 858993);
    }
}

TEST(StepKernels, NothingBeyondTheHashesIsRead) {
  std::vector<std::byte> bits(127);
  for (const StepKernels& kernels : step_kernels())
    for (std::size_t count = 1; count <= 24; ++count) {
      const testing::GuardedMemory memory{count * sizeof(std::uint32_t)};
      for (const std::span<std::uint32_t> hashes :
           {memory.front<std::uint32_t>(count), memory.back<std::uint32_t>(count)}) {
        std::ranges::fill(hashes, 858993U);
        kernels.insert_batch(bits.data(), {127, 6}, hashes.data(), count);
      }
    }
}

}  // namespace
}  // namespace bloomery::simd
