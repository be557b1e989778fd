#include "bench/scale_sim/key_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kBlocks = 19'800'000'000;  // of 10^12 keys

std::vector<std::string> all_of(KeyStream stream) {
  std::vector<std::string> keys;
  for (auto views = stream.next(); !views.empty(); views = stream.next())
    for (const ByteView view : views) keys.emplace_back(text_of(view));
  return keys;
}

TEST(PlaceRange, HoldsExactlyThePlacesWhoseBlockLiesInThePart) {
  for (const std::uint64_t blocks : {std::uint64_t{64}, std::uint64_t{1000}, kBlocks, kMaxBlocks})
    for (const std::uint32_t parts : {1U, 3U, 7U, 64U})
      for (std::uint32_t index = 0; index < parts; ++index) {
        const auto range = blocks_of({index, parts}, blocks);
        const PlaceRange places = PlaceRange::of({index, parts}, blocks);
        EXPECT_EQ(block::block_of(places.first, blocks), range.first);
        EXPECT_EQ(block::block_of(places.last, blocks), range.end - 1);
        EXPECT_EQ(places.first == 0, index == 0);
        EXPECT_EQ(places.last == ~std::uint64_t{0}, index + 1 == parts);
        if (index > 0) {
          EXPECT_LT(block::block_of(places.first - 1, blocks), range.first);
        }
        if (index + 1 < parts) {
          EXPECT_EQ(block::block_of(places.last + 1, blocks), range.end);
        }
      }
}

TEST(PlaceRange, DrawsAllItsPlacesEquallyOften) {
  const PlaceRange places{1000, 1000 + 99};
  internal::SplitMix64 random{1};
  std::vector<int> counts(100);
  for (int i = 0; i < 100'000; ++i) ++counts[static_cast<std::size_t>(places.draw(random) - 1000)];
  double squares = 0;  // chi squared with 99 degrees of freedom
  for (const int count : counts) squares += (count - 1000.0) * (count - 1000.0) / 1000;
  EXPECT_LT(squares, 99 + 4 * std::sqrt(2 * 99.0));
  EXPECT_GT(squares, 99 - 4 * std::sqrt(2 * 99.0));
}

TEST(KeyStream, DrawsAsManyKeysOfThePartAsWanted) {
  const Part part{2730, 4096};
  const PlaceRange places = PlaceRange::of(part, kBlocks);
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kMix}) {
    KeySource source;
    source.count = 10'001;
    const auto keys = all_of({profile, places, source});
    EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), 10'001U);
    double sum = 0;
    for (const std::string& key : keys) {
      const std::uint64_t place = Hasher{profile}(bytes_of(key)).low;
      ASSERT_TRUE(places.holds(place));
      sum += static_cast<double>(place - places.first) /
             static_cast<double>(places.last - places.first);
    }
    EXPECT_NEAR(sum / 10'001, 0.5, 4 * std::sqrt(1.0 / 12 / 10'001));
    EXPECT_EQ(all_of({profile, places, source}), keys);
    source.seed = 2;
    EXPECT_NE(all_of({profile, places, source}), keys);
  }
}

// The parts share the numbers among them: each number falls into one, and none is left out.
TEST(KeyStream, FindsEachNumberInOnePart) {
  constexpr std::uint64_t kNumbers = 20'011;
  std::set<std::string> all;
  std::size_t count = 0;
  for (std::uint32_t index = 0; index < 7; ++index) {
    KeySource source;
    source.kind = KeySource::Kind::kScan;
    source.end = kNumbers;
    const auto keys = all_of({Profile::kXxh3_64, PlaceRange::of({index, 7}, kBlocks), source});
    EXPECT_NEAR(static_cast<double>(keys.size()), kNumbers / 7.0, 4 * std::sqrt(kNumbers / 7.0));
    count += keys.size();
    all.insert(keys.begin(), keys.end());
  }
  EXPECT_EQ(count, kNumbers);
  EXPECT_EQ(all.size(), kNumbers);
}

}  // namespace
}  // namespace bloomery::bench
