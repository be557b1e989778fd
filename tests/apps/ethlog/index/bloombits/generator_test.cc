#include "apps/ethlog/index/bloombits/generator.h"

#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "bloomery/hash/keccak.h"
#include "tests/formats/golden.h"
#include "tests/formats/split_mix.h"

namespace bloomery::ethlog {
namespace {

using testing::Bytes;
using testing::SplitMix64;
using testing::to_hex;

constexpr std::size_t kBloom = Generator::kBloomBytes;
using BloomSpan = std::span<const std::byte, kBloom>;

Generator filled(std::uint64_t size, ByteView blooms) {
  auto generator = *Generator::make(size);
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_TRUE(generator.add_bloom(i, BloomSpan{blooms.subspan(i * kBloom, kBloom)}));
  return generator;
}

// The rule that the golden file states.
Bytes golden_blooms(std::size_t blocks, std::uint64_t seed, std::uint64_t threshold) {
  SplitMix64 random{seed};
  Bytes blooms(blocks * kBloom);
  for (std::byte& byte : blooms)
    for (unsigned bit = 8; bit-- > 0;)
      if (random.next() >> 32 < threshold) byte |= std::byte{1} << bit;
  return blooms;
}

TEST(Generator, GoldenSectionsComeOutAsThePeersDo) {
  const auto cases = testing::golden_json("ethereum/generator.json").at("cases");
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& one : cases) {
    const std::size_t size = one.at("sections");
    SCOPED_TRACE(size);
    const Bytes blooms = golden_blooms(size, one.at("seed"), one.at("threshold"));
    ASSERT_EQ("0x" + to_hex(keccak256(blooms)), one.at("input_keccak"));
    const Generator generator = filled(size, blooms);
    Bytes all;
    Bytes compressed;
    for (std::size_t bit = 0; bit < Generator::kVectors; ++bit) {
      const ByteView vector = *generator.bitset(bit);
      ASSERT_EQ(vector.size(), size / 8);
      all.insert(all.end(), vector.begin(), vector.end());
      const Bytes stored = compress_vector(vector);
      compressed.insert(compressed.end(), stored.begin(), stored.end());
    }
    EXPECT_EQ("0x" + to_hex(keccak256(all)), one.at("output_keccak"));
    if (one.contains("output")) {
      EXPECT_EQ("0x" + to_hex(all), one.at("output"));
    }
    for (const auto& [bit, vector] : one.at("selected").items())
      EXPECT_EQ("0x" + to_hex(*generator.bitset(std::stoul(bit))), vector) << bit;
    EXPECT_EQ(compressed.size(), one.at("compressed_total_len"));
    EXPECT_EQ("0x" + to_hex(keccak256(compressed)), one.at("compressed_concat_keccak"));
  }
}

// Each golden error beside the call that its `op` describes.
TEST(Generator, ErrorsAreThePeersAndInItsOrder) {
  const Bytes zeros(8 * kBloom);
  const BloomSpan bloom{zeros.data(), kBloom};
  auto empty = *Generator::make(0);
  auto fresh = *Generator::make(8);
  auto full = filled(8, zeros);
  const auto error_of = [](const auto& result) {
    return result ? std::string{"<nil>"} : result.error().message;
  };
  const std::map<std::string, std::string> ours = {
      {"NewGenerator(0)", error_of(Generator::make(0))},
      {"NewGenerator(0).AddBloom(0)", error_of(empty.add_bloom(0, bloom))},
      {"NewGenerator(0).Bitset(0)", error_of(empty.bitset(0))},
      {"NewGenerator(8).Bitset(0) before filling", error_of(fresh.bitset(0))},
      {"NewGenerator(8).Bitset(5000) before filling (fill check comes first)",
       error_of(fresh.bitset(5000))},
      {"AddBloom(index 1) when 0 expected", error_of(fresh.add_bloom(1, bloom))},
      {"AddBloom(index 8) into full 8-generator", error_of(full.add_bloom(8, bloom))},
      {"AddBloom(index 0) into full 8-generator", error_of(full.add_bloom(0, bloom))},
      {"Bitset(2048) of full generator", error_of(full.bitset(2048))},
      {"Bitset(2047) of full generator", error_of(full.bitset(2047))},
  };
  const auto cases = testing::golden_json("ethereum/generator.json").at("errors");
  ASSERT_EQ(cases.size(), 18U);
  for (const auto& one : cases) {
    const std::string op = one.at("op");
    if (const auto found = ours.find(op); found != ours.end()) {
      EXPECT_EQ(found->second, one.at("error")) << op;
    } else {  // NewGenerator(n)
      const std::string count = op.substr(op.find('(') + 1);
      EXPECT_EQ(error_of(Generator::make(std::stoul(count))), one.at("error")) << op;
    }
  }
  EXPECT_TRUE(empty.bitset(0)->empty());
}

TEST(Generator, AFailedCallChangesNothing) {
  const Bytes blooms = golden_blooms(8, 1, 1U << 31);
  auto generator = *Generator::make(8);
  for (std::size_t i = 0; i < 8; ++i) {
    const BloomSpan bloom{blooms.data() + i * kBloom, kBloom};
    EXPECT_FALSE(generator.add_bloom(i + 1, bloom));
    EXPECT_FALSE(generator.bitset(0));
    EXPECT_TRUE(generator.add_bloom(i, bloom));
    EXPECT_FALSE(generator.add_bloom(i, bloom));
  }
  const Generator undisturbed = filled(8, blooms);
  for (std::size_t bit = 0; bit < Generator::kVectors; ++bit)
    EXPECT_EQ(to_hex(*generator.bitset(bit)), to_hex(*undisturbed.bitset(bit)));
}

TEST(Generator, EverySizeEqualsBitByBit) {
  for (const std::size_t size : {8U, 24U, 56U, 64U, 72U, 504U, 512U, 520U, 1024U, 1536U, 2000U}) {
    const Bytes blooms = golden_blooms(size, size, 1U << 31);
    const Generator generator = filled(size, blooms);
    std::size_t wrong = 0;
    for (std::size_t bit = 0; bit < Generator::kVectors; ++bit) {
      const ByteView vector = *generator.bitset(bit);
      for (std::size_t block = 0; block < size; ++block) {
        const auto in_bloom = blooms[block * kBloom + 255 - bit / 8] >> (bit % 8) & std::byte{1};
        const auto in_vector = vector[block / 8] >> (7 - block % 8) & std::byte{1};
        wrong += in_bloom != in_vector ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0U) << size;
  }
}

TEST(Generator, ASectionThatNoMemoryHoldsIsRefused) {
  const auto huge = Generator::make(std::uint64_t{1} << 60);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery::ethlog
