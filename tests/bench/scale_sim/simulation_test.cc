#include "bench/scale_sim/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bloomery/filter/block/block.h"

namespace bloomery::bench {
namespace {

Trial small_trial(std::uint64_t keys, std::uint32_t parts, Profile profile) {
  const Goal goal{keys, 0.01};
  Trial trial{goal, *block_shape_for(goal), {parts / 3, parts}, profile};
  trial.queries = 200'000;
  return trial;
}

void expect_agreement(const Trial& trial) {
  const auto outcome = simulate(trial);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->false_negatives, 0U);
  EXPECT_EQ(outcome->misrouted, 0U);
  for (const Measured& step : outcome->steps) {
    EXPECT_LT(std::abs(step.error()), 4) << step.rate() << " for " << step.expected;
    EXPECT_LT(std::abs(step.bits_error()), 4) << step.bits_rate << " for " << step.expected;
    EXPECT_GE(step.queries, trial.queries * 98 / 100);
  }
}

TEST(Simulation, OfKeysDrawnFromTheirHashesAgreesWithTheory) {
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64, Profile::kMix})
    expect_agreement(small_trial(1'000'000'000'000, 1U << 20, profile));
}

// Nothing is chosen here: all numbers of a small filter are hashed.
TEST(Simulation, OfScannedNumbersAgreesWithTheory) {
  for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64}) {
    Trial trial = small_trial(3'000'000, 10, profile);
    trial.keys = KeySource::Kind::kScan;
    expect_agreement(trial);
  }
}

TEST(Simulation, AgreesWithTheoryWhileItFills) {
  Trial trial = small_trial(10'000'000'000'000, 1U << 20, Profile::kXxh3_64);
  trial.steps = {0.25, 0.5, 1, 1.5};
  expect_agreement(trial);
  const auto outcome = simulate(trial);
  EXPECT_NEAR(static_cast<double>(outcome->steps[1].part_keys) /
                  static_cast<double>(outcome->steps[2].part_keys),
              0.5, 1e-4);
}

// What a test of false negatives alone would pass: keys of a part in a filter of their own, chosen
// by the same place, fall into one block in N.
TEST(Simulation, WouldNoticeAPartThatIsAFilterOfItsOwn) {
  const Trial trial = small_trial(12'000'000, 12, Profile::kXxh3_64);
  const PlaceRange places = PlaceRange::of(trial.part, trial.shape.blocks);
  BlockFilter own{BlockShape{blocks_of(trial.part, trial.shape.blocks).size(), trial.shape.probes},
                  KeyHash{Hasher{trial.profile}}};
  KeySource source;
  source.count = 1'000'000;
  KeyStream stream{trial.profile, places, source};
  for (auto keys = stream.next(); !keys.empty(); keys = stream.next()) own.insert_batch(keys);
  source.seed = 99;
  source.count = 100'000;
  KeyStream absent{trial.profile, places, source};
  std::size_t maybes = 0;
  for (auto keys = absent.next(); !keys.empty(); keys = absent.next())
    for (const ByteView key : keys) maybes += own.may_contain(key) ? 1 : 0;
  EXPECT_GT(maybes, 90'000U);
}

TEST(Simulation, RefusesHashesThatHaveNoInverse) {
  EXPECT_FALSE(simulate(small_trial(1'000'000, 4, Profile::kAes)));
  EXPECT_FALSE(simulate(small_trial(1'000'000, 4, Profile::kSiphash)));
}

}  // namespace
}  // namespace bloomery::bench
