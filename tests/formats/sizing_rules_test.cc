// The sizing rules of the peers, pinned: they give integers that another order of the same
// operations would miss by one. The sums below were computed over the same grid of 69,613 goals by
// Guava 31.1 under OpenJDK 17, by bits-and-blooms 3.3.1 and DCSO 0.2.4 under Go 1.19, and in those
// languages from the formulas of the releases that were not at hand.
#include "bloomery/formats/bits_and_blooms.h"
#include "bloomery/formats/dcso.h"
#include "bloomery/formats/go_bloom.h"
#include "bloomery/formats/guava.h"
#include "tests/formats/golden.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kNoFilter = 0;  // where a rule gives no bits, no probes or too many of them

template <class Rule>
std::uint64_t sum_over_grid(Rule rule) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t n = 1; n <= 40; ++n) keys.push_back(n);
  for (std::uint64_t n = 64; n <= 1'000'000'000; n = n * 5 / 2 + 1) keys.push_back(n);
  for (std::uint64_t n = 100; n <= 1'000'000'000; n *= 10) keys.push_back(n);
  std::vector<double> rates;
  for (int i = 1; i < 1000; ++i) rates.push_back(i / 1000.0);
  for (int i = 1; i <= 40; ++i) rates.push_back(1.0 / static_cast<double>(std::uint64_t{1} << i));
  std::uint64_t sum = kFnvBasis64;
  const auto add = [&](std::uint64_t number) {
    std::byte raw[8];
    store_le(raw, number);
    sum = fnv1a_64(raw, sum);
  };
  for (const std::uint64_t n : keys)
    for (const double rate : rates) {
      const Result<Shape> shape = rule(Goal{n, rate});
      add(shape ? shape->bits : kNoFilter);
      add(shape ? shape->probes : kNoFilter);
    }
  return sum;
}

TEST(SizingRules, GoBloomGivesThePeersIntegers) {
  EXPECT_EQ(*GoBloom::shape_for({1000, 0.01}), (Shape{9584, 6}));
  EXPECT_EQ(GoBloom::shape_for({1000, 0.125})->probes, 2U);
  EXPECT_EQ(GoBloom::shape_for({1000, 0.25})->probes, 2U);
  EXPECT_EQ(GoBloom::shape_for({1000, 1e-4})->probes, 13U);
  EXPECT_EQ(sum_over_grid(GoBloom::shape_for), 0xa4d59b3abbbdf4cfU);
}

TEST(SizingRules, BothGuavaReleasesGiveThePeersIntegers) {
  const auto of_31 = [](Goal goal) { return shape_for_release(goal, GuavaRelease::k31); };
  const auto of_33 = [](Goal goal) { return shape_for_release(goal, GuavaRelease::k33_4); };
  EXPECT_EQ(*of_31({1, 0.01}), (Shape{64, 6}));
  EXPECT_EQ(*of_33({1, 0.01}), (Shape{64, 7}));
  EXPECT_EQ(*of_33({1000, 0.01}), (Shape{9600, 7}));
  EXPECT_EQ(*of_31({2147483648, 0.5}), (Shape{3098164032, 1}));
  EXPECT_EQ(sum_over_grid(of_31), 0x85b14757fb8925e9U);
  EXPECT_EQ(sum_over_grid(of_33), 0x8979b44517ccf63eU);
}

TEST(SizingRules, BitsAndBloomsGivesThePeersIntegers) {
  EXPECT_EQ(*BitsAndBlooms::shape_for({1000, 0.01}), (Shape{9586, 7}));
  EXPECT_EQ(*BitsAndBlooms::shape_for({1000000, 0.99}), (Shape{20919, 1}));
  EXPECT_EQ(*BitsAndBlooms::shape_for({200000, 0.1}), (Shape{958506, 4}));
  EXPECT_EQ(*BitsAndBlooms::shape_for({1000000, 0.01}), (Shape{9585059, 7}));
  EXPECT_EQ(*BitsAndBlooms::shape_for({10, 1e-300}), (Shape{14378, 997}));
  EXPECT_EQ(sum_over_grid(BitsAndBlooms::shape_for), 0xb18b7194b5bda61dU);
  EXPECT_EQ(sum_over_grid(BitsAndBloomsV1::shape_for), 0x0bb799d2c7a45389U);
}

TEST(SizingRules, DcsoGivesThePeersIntegers) {
  EXPECT_EQ(*Dcso::shape_for({1000000, 0.01}), (Shape{9585058, 7}));
  EXPECT_EQ(*Dcso::shape_for({1, 0.01}), (Shape{9, 7}));
  EXPECT_EQ(sum_over_grid(Dcso::shape_for), 0x0bb799d2c7a45389U);
}

}  // namespace
}  // namespace bloomery
