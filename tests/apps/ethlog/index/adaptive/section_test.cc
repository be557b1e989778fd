#include "apps/ethlog/index/adaptive/section.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <set>

#include "apps/ethlog/index/adaptive/shape.h"
#include "bloomery/layout/sizing.h"
#include "tests/apps/ethlog/store/samples.h"

namespace bloomery::ethlog {
namespace {

using ::testing::HasSubstr;
using Random = std::mt19937_64;

KeyDigest random_digest(Random& random) { return {random(), random()}; }

bool has_bit(const AdaptiveSection& section, std::uint32_t row, std::size_t block) {
  const std::size_t row_bytes = section.meta.section_size / 8;
  const std::byte byte = section.bits.view()[row * row_bytes + block / 8];
  return (byte & std::byte{0x80} >> block % 8) != std::byte{0};
}

bool may_contain(const AdaptiveSection& section, const KeyDigest& key, std::size_t block) {
  const Modulus rows{section.meta.rows};
  for (std::uint32_t i = 0; i < section.meta.probes; ++i)
    if (!has_bit(section, key_row(key, i, rows), block)) return false;
  return true;
}

// ---- the shape

double mean_rate(const std::vector<std::uint32_t>& keys, Shape shape) {
  double sum = 0;
  for (const std::uint32_t n : keys) sum += n == 0 ? 0 : expected_rate(shape, n);
  return sum / static_cast<double>(keys.size());
}

TEST(AdaptiveShape, KeepsTheMeanRateWithTheFewestRows) {
  std::vector<std::uint32_t> mixed(512, 3);
  for (std::size_t i = 0; i < mixed.size(); i += 50) mixed[i] = 2000;
  const std::vector<std::uint32_t> even(64, 900);
  for (const double rate : {0.3, 0.05, 0.005, 0.0001})
    for (const auto& keys : {mixed, even}) {
      const Shape shape = adaptive_shape(keys, rate, 1 << 20);
      EXPECT_LE(mean_rate(keys, shape), rate);
      EXPECT_GT(mean_rate(keys, {shape.bits - 1, shape.probes}), rate);
      for (std::uint32_t probes = 1; probes < 20; ++probes)  // none is much smaller
        EXPECT_GT(mean_rate(keys, {shape.bits * 96 / 100, probes}), rate) << probes;
    }
}

TEST(AdaptiveShape, IsPaidByDensityAndKnowsItsBounds) {
  const auto rows = [](std::uint32_t keys) {
    return adaptive_shape(std::vector<std::uint32_t>(8, keys), 0.005, 1 << 20).bits;
  };
  EXPECT_EQ(rows(0), 0U);
  EXPECT_NEAR(static_cast<double>(rows(1000)), 11'250, 120);
  EXPECT_NEAR(static_cast<double>(rows(2000)) / static_cast<double>(rows(1000)), 2, 0.01);
  EXPECT_EQ(adaptive_shape(std::vector<std::uint32_t>(8, 1000), 0.005, 100).bits, 100U);
  // One dense block among empty ones is answered "maybe", which is rare enough.
  std::vector<std::uint32_t> one(4096, 0);
  one[77] = 50'000;
  EXPECT_LE(adaptive_shape(one, 0.005, 1 << 20).bits, 2U);
  EXPECT_EQ(adaptive_shape({}, 0.005, 100).bits, 0U);
}

// ---- the section

TEST(AdaptiveSection, HasEveryKeyAndTheRateThatWasSet) {
  Random random{7};
  for (const std::uint64_t size : {8U, 24U, 512U, 1032U}) {
    AdaptiveSectionBuilder builder{3, size, filled_hash(9)};
    std::vector<std::vector<KeyDigest>> keys(size);
    for (auto& of_block : keys) {
      of_block.resize(random() % 5 == 0 ? 300 : random() % 40);
      for (KeyDigest& key : of_block) key = random_digest(random);
      ASSERT_TRUE(builder.add_block(of_block, std::nullopt));
    }
    for (const double goal : {0.2, 0.005}) {
      const AdaptiveSection section = builder.build(goal);
      EXPECT_LE(section.meta.rate, goal);
      EXPECT_GT(section.meta.rate, goal / 3);
      std::size_t found = 0;
      const std::size_t absent = 400'000 / size;
      for (std::size_t block = 0; block < size; ++block) {
        for (const KeyDigest& key : keys[block]) ASSERT_TRUE(may_contain(section, key, block));
        for (std::size_t i = 0; i < absent; ++i)
          found += may_contain(section, random_digest(random), block) ? 1 : 0;
      }
      const double measured = static_cast<double>(found) / static_cast<double>(absent * size);
      const double deviation = std::sqrt(section.meta.rate / static_cast<double>(absent * size));
      EXPECT_NEAR(measured, section.meta.rate, 5 * deviation);
    }
  }
}

TEST(AdaptiveSection, HasTheBitsOfItsKeysAndNoOthers) {
  Random random{8};
  AdaptiveSectionBuilder builder{0, 64, filled_hash(1)};
  std::vector<std::set<std::uint32_t>> wanted(64);
  std::vector<std::vector<KeyDigest>> keys(64);
  for (auto& of_block : keys) {
    of_block.resize(random() % 100);
    for (KeyDigest& key : of_block) key = random_digest(random);
    ASSERT_TRUE(
        builder.add_block(of_block, of_block.empty() ? std::nullopt : std::optional{random() % 5}));
  }
  const AdaptiveSection section = builder.build(0.01);
  const Modulus rows{section.meta.rows};
  for (std::size_t block = 0; block < 64; ++block) {
    for (const KeyDigest& key : keys[block])
      for (std::uint32_t i = 0; i < section.meta.probes; ++i)
        wanted[block].insert(key_row(key, i, rows));
    for (std::uint32_t row = 0; row < section.meta.rows; ++row)
      ASSERT_EQ(has_bit(section, row, block), wanted[block].contains(row));
  }
}

TEST(AdaptiveSection, SaysWhichBlocksHaveLogsOfSoManyTopics) {
  AdaptiveSectionBuilder builder{0, 8, filled_hash(1)};
  const std::optional<std::size_t> most[8] = {std::nullopt, 0, 1, 2, 3, 4, std::nullopt, 1};
  for (const auto& topics : most) ASSERT_TRUE(builder.add_block({}, topics));
  const AdaptiveSection section = builder.build(0.005);
  EXPECT_EQ(section.meta.rows, 0U);
  EXPECT_EQ(section.meta.rate, 0.0);
  for (std::size_t block = 0; block < 8; ++block)
    for (std::uint32_t t = 0; t < kTopicCountRows; ++t)
      EXPECT_EQ(has_bit(section, t, block), most[block] && *most[block] >= t);
}

TEST(AdaptiveSection, KeepsKindsOfKeysAndSectionsApart) {
  Address address;
  address.bytes.fill(std::byte{5});
  Topic padded;
  std::ranges::copy(address.bytes, padded.bytes.begin() + 12);
  std::set<std::uint64_t> digests;
  for (const SectionSalt salt : {salt_of(filled_hash(1)), salt_of(filled_hash(2))}) {
    digests.insert(address_digest(address, salt).low);
    digests.insert(topic_digest(padded, salt).low);
    digests.insert(pair_digest(address, padded, salt).low);
  }
  EXPECT_EQ(digests.size(), 6U);
}

TEST(AdaptiveSection, HasBitsThatNeverChange) {  // golden: what is stored must stay readable
  const SectionSalt salt = salt_of(filled_hash(0x5a));
  Address address;
  address.bytes.fill(std::byte{0x11});
  const Topic topic = filled_hash(0x22);
  const Modulus rows{8192};
  const auto rows_of = [&](const KeyDigest& digest) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < 6; ++i) all.push_back(key_row(digest, i, rows));
    return all;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(rows_of(address_digest(address, salt)),
              ElementsAre(7448, 4017, 585, 5346, 1915, 6675));
  EXPECT_THAT(rows_of(topic_digest(topic, salt)), ElementsAre(7695, 3337, 7171, 2813, 6647, 2289));
  EXPECT_THAT(rows_of(pair_digest(address, topic, salt)),
              ElementsAre(6322, 238, 2345, 4452, 6559, 474));
}

// ---- as stored

SectionMetadata some_facts() {
  SectionMetadata meta;
  meta.section = 12;
  meta.head = filled_hash(3);
  meta.section_size = 1024;
  meta.rows = 7;
  meta.probes = 6;
  meta.rows_per_chunk = rows_per_chunk(1024);
  meta.goal = 0.005;
  meta.rate = 0.0049;
  meta.keys = 99;
  meta.most_keys = 5;
  meta.row_bytes = 1000;
  meta.column_bytes = 2000;
  return meta;
}

TEST(AdaptiveSection, FactsAreReadAsTheyWereWritten) {
  const std::string record = encode_metadata(some_facts());
  EXPECT_EQ(record.size(), 116U);
  const auto read = decode_metadata(bytes_of(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, some_facts());
  for (std::size_t at = 0; at < record.size(); ++at) {
    std::string damaged = record;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_FALSE(decode_metadata(bytes_of(damaged))) << at;
    EXPECT_FALSE(decode_metadata(bytes_of(record).first(at)));
  }
  EXPECT_FALSE(decode_metadata(bytes_of(record + "x")));
}

TEST(AdaptiveSection, FactsThatContradictThemselvesAreRefused) {
  const auto refused = [](auto change) {
    SectionMetadata meta = some_facts();
    change(meta);
    return !decode_metadata(bytes_of(encode_metadata(meta)));
  };
  EXPECT_FALSE(refused([](SectionMetadata&) {}));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.section_size = 0; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.section_size = 1023; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.section_size = 1 << 30; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.rows = UINT32_MAX; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.probes = 0; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.probes = 1 << 20; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.rows_per_chunk = 0; }));
  EXPECT_TRUE(refused([](SectionMetadata& meta) { meta.rate = std::nan(""); }));
}

TEST(AdaptiveSection, ChunksHoldAllRowsAndTellDamage) {
  Random random{5};
  AdaptiveSectionBuilder builder{1, 1024, filled_hash(4)};
  for (std::size_t block = 0; block < 1024; ++block) {
    const std::vector<KeyDigest> keys{random_digest(random), random_digest(random)};
    ASSERT_TRUE(builder.add_block(keys, 1));
  }
  const AdaptiveSection section = builder.build(0.005);
  EXPECT_EQ(section.meta.rows_per_chunk, 4U);
  std::size_t bytes = 0;
  std::uint64_t stored = 0;
  for (std::uint32_t chunk = 0; chunk < section.meta.chunks(); ++chunk) {
    std::string record = encode_chunk(section.chunk(chunk), chunk);
    stored += record.size();
    const auto rows = decode_chunk(section.meta, bytes_of(record), chunk);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_TRUE(std::ranges::equal(*rows, section.bits.view().subspan(bytes, rows->size())));
    bytes += rows->size();
    EXPECT_FALSE(decode_chunk(section.meta, bytes_of(record), chunk + 1));
    EXPECT_FALSE(decode_chunk(section.meta, bytes_of(record).first(record.size() - 1), chunk));
    record[20] = static_cast<char>(record[20] ^ 1);
    const auto damaged = decode_chunk(section.meta, bytes_of(record), chunk);
    ASSERT_FALSE(damaged);
    EXPECT_THAT(damaged.error().message,
                HasSubstr("of section 1 of the adaptive index are damaged"));
  }
  EXPECT_EQ(bytes, section.meta.all_rows() * 128U);
  EXPECT_EQ(stored, section.meta.row_bytes);
  EXPECT_FALSE(decode_chunk(section.meta, {}, section.meta.chunks()));
}

}  // namespace
}  // namespace bloomery::ethlog
