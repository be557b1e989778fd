#include "apps/ethlog/index/bloombits/vector_compression.h"

#include "bloomery/hash/keccak.h"
#include "tests/formats/golden.h"
#include "tests/formats/split_mix.h"

namespace bloomery::ethlog {
namespace {

using testing::Bytes;
using testing::from_0x;
using testing::from_hex;
using testing::SplitMix64;
using testing::to_hex;

std::string kind_of(const Result<Bytes>& result) {
  if (result) return "";
  const std::string& text = result.error().message;
  if (text == kMissingData) return "missing_data";
  if (text == kUnreferencedData) return "unreferenced_data";
  if (text == kExceededTarget) return "exceeded_target";
  return text == kZeroContent ? "zero_content" : "another error: " + text;
}

TEST(VectorCompression, GoldenVectorsAreStoredAsThePeerStoresThem) {
  const auto cases = testing::golden_json("ethereum/compress.json").at("encode");
  ASSERT_EQ(cases.size(), 101U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("input").get<std::string>().substr(0, 40));
    const Bytes vector = from_0x(one.at("input"));
    const Bytes stored = compress_vector(vector);
    EXPECT_EQ("0x" + to_hex(stored), one.at("compressed"));
    EXPECT_EQ("0x" + to_hex(encode_sparse(vector)), one.at("raw_bitset_encoding"));
    const auto back = decompress_vector(stored, vector.size());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, vector);
  }
}

TEST(VectorCompression, GoldenBytesAreReadOrRefusedAsThePeerDoes) {
  const auto cases = testing::golden_json("ethereum/compress.json").at("decode");
  ASSERT_EQ(cases.size(), 162U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("data").get<std::string>().substr(0, 60));
    const Bytes bytes = from_0x(one.at("data"));
    const std::size_t size = one.at("target");
    const auto vector = decompress_vector(bytes, size);
    EXPECT_EQ(kind_of(vector), one.at("error_kind"));
    EXPECT_EQ(kind_of(decode_sparse(bytes, size)), one.at("bitset_decode_error_kind"));
    if (one.contains("error")) {
      EXPECT_EQ(vector.error().message, one.at("error"));
    }
    if (vector && one.contains("output")) {
      EXPECT_EQ("0x" + to_hex(*vector), one.at("output"));
    }
    if (vector && one.contains("output_keccak")) {
      EXPECT_EQ(vector->size(), one.at("output_len"));
      EXPECT_EQ("0x" + to_hex(keccak256(*vector)), one.at("output_keccak"));
    }
  }
}

Bytes random_vector(SplitMix64& random, std::size_t size, std::uint64_t one_in) {
  Bytes vector(size);
  for (std::byte& byte : vector)
    if (random.below(one_in) == 0) byte = static_cast<std::byte>(1 + random.below(255));
  return vector;
}

TEST(VectorCompression, EveryVectorComesBack) {
  SplitMix64 random{11};
  for (std::size_t round = 0; round < 3000; ++round) {
    const std::size_t size = random.below(3) == 0 ? 512 : random.below(700);
    const Bytes vector = random_vector(random, size, 1 + random.below(80));
    const Bytes stored = compress_vector(vector);
    EXPECT_LE(stored.size(), size);
    const auto back = decompress_vector(stored, size);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, vector);
    const auto sparse = decode_sparse(encode_sparse(vector), size);
    ASSERT_TRUE(sparse) << sparse.error().message;
    EXPECT_EQ(*sparse, vector);
  }
}

// Damaged bytes are refused, or are the one encoding of what they give.
TEST(VectorCompression, WhatIsAcceptedIsTheOnlyEncoding) {
  SplitMix64 random{12};
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 20'000; ++round) {
    const std::size_t size = 2 + random.below(90);
    Bytes bytes = encode_sparse(random_vector(random, size, 1 + random.below(6)));
    for (std::uint64_t i = random.below(3); i > 0 && !bytes.empty(); --i)
      bytes[random.below(bytes.size())] ^= std::byte{1} << random.below(8);
    if (random.below(8) == 0) bytes.push_back(static_cast<std::byte>(random.next()));
    if (random.below(8) == 0 && !bytes.empty()) bytes.pop_back();
    const auto vector = decode_sparse(bytes, size);
    if (vector) {
      EXPECT_EQ(encode_sparse(*vector), bytes);
    }
    ++(vector ? accepted : refused);
  }
  EXPECT_GT(accepted, 1000U);
  EXPECT_GT(refused, 1000U);
}

TEST(VectorCompression, TheWordsOfTheDescriptionHold) {
  EXPECT_EQ(to_hex(compress_vector(from_hex("4912385c0e7b64000000"))), "80fe4912385c0e7b64");
  EXPECT_TRUE(compress_vector(Bytes(512)).empty());
  Bytes first(512);
  first[0] = std::byte{0x2a};
  EXPECT_EQ(to_hex(compress_vector(first)), "8080802a");
}

}  // namespace
}  // namespace bloomery::ethlog
