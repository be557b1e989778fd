#include "bloomery/formats/leveldb/policy.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "bloomery/base/endian.h"
#include "bloomery/formats/leveldb/filter.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/layout/modulus.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery {
namespace {

using Layout = LevelDbPolicyShape::Layout;
using Bytes = std::vector<std::byte>;

std::vector<std::string> some_keys(std::size_t count, const std::string& prefix = "key ") {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

Bytes filter_of(const std::vector<std::string>& keys, int bits_per_key = 10) {
  static const LevelDbPolicySizing kUsual{10};
  LevelDbPolicyBuilder builder{bits_per_key == 10 ? kUsual : LevelDbPolicySizing{bits_per_key},
                               keys.size()};
  for (const auto& key : keys) {
    const ByteView view = bytes_of(key);
    builder.add({&view, 1});
  }
  Bytes filter(builder.filter_bytes());
  builder.finish(filter);
  return filter;
}

std::size_t denied(ByteView filter, const std::vector<std::string>& keys) {
  return static_cast<std::size_t>(std::ranges::count_if(
      keys, [&](const auto& key) { return !leveldb_policy_may_contain(filter, bytes_of(key)); }));
}

TEST(LevelDbPolicy, EveryKeyIsFoundInFiltersOfEverySize) {
  for (std::size_t count = 0; count < 2000; count += count < 40 ? 1 : 13) {
    const auto keys = some_keys(count);
    const Bytes filter = filter_of(keys);
    ASSERT_TRUE(leveldb_policy_holds(filter)) << count;
    ASSERT_EQ(denied(filter, keys), 0U) << count;
  }
}

TEST(LevelDbPolicy, NoFilterIsLargerThanLevelDbsOwnAndLittleIsLeftUnused) {
  for (const int bits_per_key : {1, 5, 8, 10, 12, 16, 20, 40}) {
    const LevelDbPolicySizing sizing{bits_per_key};
    for (std::size_t keys = 0; keys < 5000; keys += 1 + keys / 100) {
      const auto theirs = static_cast<std::size_t>(leveldb_shape(keys, bits_per_key)->bits / 8 + 1);
      const std::size_t ours = LevelDbPolicyBuilder{sizing, keys}.filter_bytes();
      ASSERT_LE(ours, theirs) << keys << " keys of " << bits_per_key;
      ASSERT_GE(ours + 11, theirs) << keys << " keys of " << bits_per_key;
    }
  }
}

// The bytes are fixed for ever: filters of tables outlive the program that wrote them. Made by this
// code, when the name was given.
TEST(LevelDbPolicy, BytesStayWhatTheyAre) {
  EXPECT_STREQ(kLevelDbPolicyName, "bloomery.BlockFilter1");
  const Bytes small = filter_of({"apple", "pear"});
  std::string hex;
  for (const std::byte byte : small) {
    hex += "0123456789abcdef"[static_cast<unsigned>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned>(byte) & 15];
  }
  EXPECT_EQ(hex, "000d8041208068c064");
  EXPECT_EQ(xxh3_64(filter_of(some_keys(120))), 10671444933099949555U);
  EXPECT_EQ(xxh3_64(filter_of(some_keys(470))), 2665846747342497494U);
  EXPECT_EQ(xxh3_64(filter_of(some_keys(2000))), 748647812150626675U);
  EXPECT_EQ(xxh3_64(filter_of(some_keys(300), 16)), 5879508587568940681U);
}

TEST(LevelDbPolicy, FewerThanEightBlocksAreClassicAndMoreAreSeededBlocks) {
  const LevelDbPolicySizing sizing{10};
  EXPECT_EQ(sizing.shape_for(416).layout, Layout::kClassic);
  EXPECT_EQ(sizing.shape_for(417).layout, Layout::kBlock);
  EXPECT_EQ(sizing.shape_for(417).blocks(), 8U);
  EXPECT_EQ(sizing.shape_for(1000).blocks(), 20U);  // the last of them short
  EXPECT_EQ(sizing.shape_for(1000).data_bytes % 64, 10U);
  for (const std::size_t keys : {416UL, 417UL, 835UL, 1000UL, 5000UL})
    EXPECT_EQ(leveldb_policy_shape_of(filter_of(some_keys(keys)))->data_bytes,
              sizing.shape_for(keys).data_bytes);
}

TEST(LevelDbPolicy, ErrsLessOftenThanLevelDbsOwnAtTheSameBytes) {
  std::mt19937_64 random{7};
  const auto random_key = [&] {
    std::string key(16, ' ');
    for (char& letter : key) letter = static_cast<char>('a' + random() % 26);
    return key;
  };
  for (const std::size_t count : {10UL, 20UL, 35UL, 60UL, 120UL, 300UL, 440UL, 1000UL, 3000UL}) {
    std::size_t ours = 0, theirs = 0;
    const std::size_t rounds = 3000 / count + 20;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<std::string> keys(count);
      std::ranges::generate(keys, random_key);
      const Bytes filter = filter_of(keys);
      LevelDbBuilder builder;
      for (const auto& key : keys) builder.add(bytes_of(key));
      const Bytes their_filter = *builder.finish();
      ASSERT_LE(filter.size(), their_filter.size());
      for (std::size_t i = 0; i < 300000 / rounds; ++i) {
        const std::string absent = random_key();
        ours += leveldb_policy_may_contain(filter, bytes_of(absent)) ? 1 : 0;
        theirs += leveldb_may_contain(their_filter, bytes_of(absent)) ? 1 : 0;
      }
    }
    EXPECT_LT(ours, theirs) << count << " keys per filter";
  }
}

TEST(LevelDbPolicy, HealthTellsTheRateThatIsMeasured) {
  for (const std::size_t count : {60UL, 440UL, 3000UL}) {
    const Bytes filter = filter_of(some_keys(count));
    std::size_t passed = 0;
    constexpr std::size_t kAsked = 100000;
    for (const auto& key : some_keys(kAsked, "absent "))
      passed += leveldb_policy_may_contain(filter, bytes_of(key)) ? 1 : 0;
    const double rate = static_cast<double>(passed) / kAsked;
    const Health health = leveldb_policy_health(filter);
    EXPECT_NEAR(rate, health.error_rate, 4 * std::sqrt(health.error_rate / kAsked)) << count;
    EXPECT_NEAR(health.estimated_keys, static_cast<double>(count),
                0.1 * static_cast<double>(count));
  }
}

// The definition of docs/formats/leveldb-policy.md, word by word.
std::uint64_t plain_sum(ByteView bytes) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::uint64_t first[8] = {}, second[8] = {};
  for (std::size_t at = 0;; at += 64) {
    const std::size_t from = std::min(at, bytes.size() - 64);
    for (std::size_t i = 0; i < 8; ++i) {
      first[i] += load_le<std::uint64_t>(bytes.data() + from + 8 * i);
      second[i] += first[i];
    }
    if (from + 64 == bytes.size()) break;
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const Wide product = Wide{first[i] ^ kGolden * (2 * i + 1)} * (second[i] ^ 0xd1342543de82ef95);
    sum += static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return sum;
}

TEST(LevelDbPolicy, SumsOfAllKernelsAreTheDefinition) {
  std::mt19937_64 random{3};
  Bytes bytes(1100);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (const simd::BlockKernels& kernels : simd::block_kernels())
    for (std::size_t size = 64; size < 1090; ++size) {
      const ByteView content = ByteView{bytes}.subspan(size % 9, size);
      ASSERT_EQ(internal::leveldb_policy_sum(content, kernels.name), plain_sum(content))
          << kernels.name << ' ' << size;
    }
}

// LevelDB's own filter, with its bits zeroed, denies every key.
TEST(LevelDbPolicy, ZeroedBitsLoseNoKey) {
  for (const std::size_t count : {1UL, 20UL, 120UL, 418UL, 1000UL, 5000UL}) {
    const auto keys = some_keys(count);
    const Bytes filter = filter_of(keys);
    Bytes bits = filter;
    const auto shape = leveldb_policy_shape_of(filter);
    std::fill_n(bits.begin(), bits.size() - 3, std::byte{0});
    EXPECT_EQ(denied(bits, keys), 0U) << count;
    Bytes checks_too = filter;
    std::fill_n(checks_too.begin(), checks_too.size() - 1, std::byte{0});
    EXPECT_EQ(denied(checks_too, keys), 0U) << count;
    EXPECT_EQ(denied(Bytes(filter.size()), keys), 0U) << count;
    for (std::size_t page = 0; page < internal::leveldb_policy_pages(*shape); ++page) {
      const auto at = internal::leveldb_policy_page(*shape, page);
      Bytes one_page = filter;
      std::fill_n(one_page.begin() + static_cast<std::ptrdiff_t>(at.offset), at.data_bytes,
                  std::byte{0});
      EXPECT_EQ(denied(one_page, keys), 0U) << count;
    }
  }
}

TEST(LevelDbPolicy, EveryFlippedBitIsSeen) {
  for (const std::size_t count : {5UL, 60UL, 130UL, 440UL}) {
    const auto keys = some_keys(count);
    const Bytes filter = filter_of(keys);
    std::size_t unseen = 0;
    for (std::size_t bit = 0; bit < filter.size() * 8; ++bit) {
      Bytes bad = filter;
      bad[bit / 8] ^= std::byte{1} << (bit % 8);
      unseen += leveldb_policy_holds(bad) ? 1 : 0;
    }
    EXPECT_EQ(unseen, 0U) << count;
  }
}

// Two bytes of check let one damage in 65535 pass.
TEST(LevelDbPolicy, RandomDamageIsSeenButForOneIn65535) {
  std::mt19937_64 random{20240607};
  std::size_t unseen = 0, lost = 0;
  constexpr std::size_t kDamages = 20000;
  for (std::size_t i = 0; i < kDamages; ++i) {
    const auto keys = some_keys(1 + random() % 150, std::to_string(i) + " ");
    const Bytes filter = filter_of(keys);
    Bytes bad = filter;
    const std::size_t start = random() % bad.size();
    const std::size_t length = 1 + random() % (bad.size() - start);
    switch (random() % 4) {
      case 0:
        std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(start), length, std::byte{0});
        break;
      case 1:
        std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(start), length, std::byte{0xff});
        break;
      case 2:
        for (std::size_t j = 0; j < length; ++j) bad[start + j] = static_cast<std::byte>(random());
        break;
      default:
        bad.resize(start);
        break;
    }
    if (bad == filter) continue;
    unseen += leveldb_policy_holds(bad) ? 1 : 0;
    lost += denied(bad, keys) != 0 ? 1 : 0;
  }
  EXPECT_LE(unseen, 3U);  // expected: 0.3
  EXPECT_LE(lost, unseen);
}

TEST(LevelDbPolicy, PagesOfALargeFilterAreCheckedAlone) {
  const auto keys = some_keys(5000);
  Bytes filter = filter_of(keys);
  std::size_t before = denied(filter, some_keys(5000, "absent "));
  filter[10] ^= std::byte{1};  // in the first of seven pages
  EXPECT_FALSE(leveldb_policy_holds(filter));
  EXPECT_EQ(denied(filter, keys), 0U);
  const std::size_t after = denied(filter, some_keys(5000, "absent "));
  EXPECT_LT(after, before * 7 / 8);
  EXPECT_GT(after, before * 6 / 8);
}

TEST(LevelDbPolicy, HeadersThatAreNotOursAnswerMaybe) {
  Bytes filter = filter_of(some_keys(60));
  for (unsigned header = 0; header < 256; ++header) {
    Bytes other = filter;
    other.back() = static_cast<std::byte>(header);
    const auto shape = leveldb_policy_shape_of(other);
    EXPECT_EQ(shape.has_value(), header >= 16) << header;  // blocks have larger filters
    if (other != filter) {
      EXPECT_FALSE(leveldb_policy_holds(other)) << header;
    }
  }
  for (std::size_t size = 0; size < 4; ++size)
    EXPECT_TRUE(leveldb_policy_may_contain(ByteView{filter}.first(size), bytes_of("x"))) << size;
}

// Eight blocks, their seeds, a check and the header: 523 bytes. What is smaller is classic.
TEST(LevelDbPolicy, SizeAndHeaderTogetherTellTheLayout) {
  for (const std::size_t size : {522U, 523U, 524U, 532U})
    for (unsigned header = 0; header < 256; ++header) {
      Bytes filter(size);
      filter.back() = static_cast<std::byte>(header);
      const auto shape = leveldb_policy_shape_of(filter);
      const bool classic = size < 523 && header >= 16;
      const bool block = (size == 523 || size == 532) && header >= 4 && header <= 8;
      ASSERT_EQ(shape.has_value(), classic || block) << size << " " << header;
      if (classic) {
        EXPECT_EQ(*shape, (LevelDbPolicyShape{Layout::kClassic, header / 16, header % 16, 519}));
      } else if (block) {  // nine bytes more are a short block of eight
        EXPECT_EQ(*shape,
                  (LevelDbPolicyShape{Layout::kBlock, header, 0, size == 523 ? 512U : 520U}));
      }
    }
}

// A seed is read from the filter and names a row of a table: one past its end must not be looked
// up.
TEST(LevelDbPolicy, ASeedThatDoesNotExistAnswersMaybeThoughTheCheckIsRight) {
  Bytes filter = filter_of(some_keys(417));
  const auto shape = leveldb_policy_shape_of(filter);
  ASSERT_EQ(shape->blocks(), 8U);
  const auto page = internal::leveldb_policy_page(*shape, 0);
  const auto with_seeds = [&](unsigned seed) {
    std::fill_n(filter.begin() + static_cast<std::ptrdiff_t>(page.offset + page.data_bytes),
                page.seeds, static_cast<std::byte>(seed));
    store_le(filter.data() + page.offset + page.data_bytes + page.seeds,
             internal::leveldb_policy_check(filter, page, 0));
    EXPECT_TRUE(leveldb_policy_holds(filter));
    return denied(filter, some_keys(1000, "absent "));
  };
  EXPECT_GT(with_seeds(block::kWindowSets - 1), 900U);
  EXPECT_EQ(with_seeds(block::kWindowSets), 0U);
  EXPECT_EQ(with_seeds(255), 0U);
}

TEST(LevelDbPolicy, BitsPerKeyBeyondReasonAreTakenForTheNearest) {
  for (const int bits_per_key : {-2147483647 - 1, -5, 0, 1, 1024, 100000, 2147483647}) {
    const auto keys = some_keys(40);
    const Bytes filter = filter_of(keys, bits_per_key);
    EXPECT_EQ(denied(filter, keys), 0U) << bits_per_key;
    EXPECT_LE(filter.size(), 40U * 1024 / 8 + 1) << bits_per_key;
  }
}

}  // namespace
}  // namespace bloomery
