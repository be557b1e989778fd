#include "bloomery/formats/layered/filter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "bloomery/formats/layered/clock.h"

namespace bloomery {
namespace {

constexpr DecodeLimits kRoomy{std::uint64_t{1} << 30};

LayeredFilter made(const LayeredPlan& plan, std::int64_t now = 0, DecodeLimits limits = kRoomy) {
  auto filter = LayeredFilter::make(plan, now, limits, nullptr);
  EXPECT_TRUE(filter.has_value());
  return std::move(*filter);
}

std::vector<std::string> names(std::size_t from, std::size_t to) {
  std::vector<std::string> names;
  for (std::size_t i = from; i < to; ++i) names.push_back("key " + std::to_string(i));
  return names;
}
std::vector<LayeredInsert> insert(LayeredFilter& filter, const std::vector<std::string>& names,
                                  std::int64_t now = 0) {
  std::vector<ByteView> keys;
  for (const std::string& name : names) keys.push_back(bytes_of(name));
  return filter.insert(keys, now);
}
std::size_t held(const LayeredFilter& filter, const std::vector<std::string>& names,
                 std::int64_t now = 0) {
  std::vector<ByteView> keys;
  for (const std::string& name : names) keys.push_back(bytes_of(name));
  std::vector<std::uint8_t> answers(keys.size());
  filter.may_contain_batch(keys, now, answers);
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(answers[i] != 0, filter.may_contain(keys[i], now));
  return static_cast<std::size_t>(std::ranges::count(answers, 1));
}

const Secret kSecret{std::byte{7}, std::byte{9}};
const LayeredPlan kPlans[] = {
    {{50, 0.01}, 2, LayerKind::kBlock},
    {{50, 0.01}, 2, LayerKind::kCounting},
    {{50, 0.01}, 2, LayerKind::kClassic, {}, kSecret},
    {{50, 0.01}, 2, LayerKind::kBlock, TimeWindow{60'000, 4}, kSecret},
    {{50, 0.01}, 3, LayerKind::kClassic, TimeWindow{60'000, 4}},
};

TEST(LayeredFilter, EveryKindGrowsAndKeepsItsRate) {
  for (const LayeredPlan& plan : kPlans) {
    LayeredFilter filter = made(plan);
    const auto keys = names(0, 3000);
    for (std::size_t at = 0; at < keys.size(); at += 100)
      insert(filter, {keys.begin() + static_cast<std::ptrdiff_t>(at),
                      keys.begin() + static_cast<std::ptrdiff_t>(at + 100)});
    EXPECT_EQ(held(filter, keys), keys.size());
    EXPECT_GT(filter.layers(), 1U);
    EXPECT_LT(held(filter, names(10'000, 30'000)), 300U) << "1 % of 20,000 is 200";
    EXPECT_NE(filter.health(0).verdict, Verdict::kSaturated);
  }
}

TEST(LayeredFilter, ABatchIsAsOneKeyAtATime) {
  for (const LayeredPlan& plan : kPlans) {
    LayeredFilter batch = made(plan);
    LayeredFilter single = made(plan);
    auto keys = names(0, 700);
    for (std::size_t i = 0; i < keys.size(); i += 5) keys[i] = keys[i / 2];
    const auto answers = insert(batch, keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto one = insert(single, {keys[i]});
      EXPECT_EQ(answers[i].answer, one[0].answer) << i;
      EXPECT_EQ(answers[i].changed, one[0].changed) << i;
    }
    EXPECT_TRUE(batch.same_bytes(single));
  }
}

TEST(LayeredFilter, OneKeyWithinRoomIsAsABatchOfOne) {
  for (const LayeredPlan& plan : kPlans) {
    LayeredFilter shorter = made(plan);
    LayeredFilter longer = made(plan);
    EXPECT_EQ(shorter.takes_one_key(), !plan.window && plan.layout != LayerKind::kCounting);
    auto keys = names(0, 700);
    for (std::size_t i = 0; i < keys.size(); i += 5) keys[i] = keys[i / 2];
    std::size_t taken = 0;
    for (const std::string& key : keys) {
      const InsertResult expected = insert(longer, {key})[0].answer;
      if (!shorter.takes_one_key()) {
        EXPECT_EQ(insert(shorter, {key})[0].answer, expected);
        continue;
      }
      ++taken;
      EXPECT_EQ(shorter.insert_within_room(bytes_of(key)), expected == InsertResult::kNew);
    }
    EXPECT_TRUE(shorter.same_bytes(longer));
    EXPECT_EQ(shorter.layers(), longer.layers());
    EXPECT_EQ(taken > 600, !plan.window && plan.layout != LayerKind::kCounting);
  }
}

TEST(LayeredFilter, AFullOneSaysSoAndEndsTheAnswers) {
  for (const LayerKind layout : {LayerKind::kBlock, LayerKind::kCounting, LayerKind::kClassic}) {
    LayeredFilter filter = made({{20, 0.001}, 0, layout});
    EXPECT_EQ(insert(filter, names(0, 20)).size(), 20U);
    EXPECT_TRUE(filter.full({kMaxBits / 8}));
    const auto answers = insert(filter, {"key 3", "new", "key 4"});
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0].answer, InsertResult::kKnown);
    EXPECT_EQ(answers[1].answer, InsertResult::kFull);
  }
}

TEST(LayeredFilter, GrowthBeyondTheLimitFailsForNewKeysOnly) {
  for (const LayerKind layout : {LayerKind::kBlock, LayerKind::kCounting, LayerKind::kClassic}) {
    const LayeredPlan plan{{20, 0.001}, 2, layout};
    LayeredFilter filter = made(plan);
    filter.set_limits({filter.size_bytes() + 8});
    insert(filter, names(0, 20));
    const auto answers = insert(filter, {"new", "key 4"});
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0].answer, InsertResult::kFailed);
    EXPECT_FALSE(answers[0].changed);
    EXPECT_EQ(answers[1].answer, InsertResult::kKnown);
    const auto too_large = LayeredFilter::make(plan, 0, {filter.size_bytes() - 1}, nullptr);
    ASSERT_FALSE(too_large.has_value());
    EXPECT_EQ(too_large.error().code, ErrorCode::kTooLarge);
  }
}

// Against an exact multiset: what was inserted more often than removed is never missed, in
// whichever layer it lies.
TEST(LayeredFilter, CountingNeverLosesAKeyThatIsIn) {
  LayeredFilter filter = made({{30, 0.05}, 2, LayerKind::kCounting});
  std::map<std::string, int> exact;
  std::mt19937_64 random{20261115};
  std::uint64_t copies = 0;
  std::size_t most_layers = 0;
  for (int step = 0; step < 40'000; ++step) {
    // The number of different keys swells and shrinks, so that layers come and go.
    const std::size_t spread = step / 5000 % 2 == 0 ? 2000 : 40;
    const std::string key = "k" + std::to_string(random() % spread);
    int& count = exact[key];
    if (random() % 2 == 0 && count < 10) {
      ASSERT_TRUE(filter.insert(std::vector{bytes_of(key)}, 0)[0].changed);
      ++count;
      ++copies;
    } else if (count > 0) {
      ASSERT_TRUE(filter.remove(bytes_of(key))) << key << " at step " << step;
      --count;
      --copies;
    }
    most_layers = std::max(most_layers, filter.layers());
  }
  std::uint64_t counted = 0;
  filter.for_each_layer(
      {}, [&](const TimeSlice&, const FilterLayer& layer) { counted += layer.keys_inserted(); });
  EXPECT_EQ(counted, copies);
  EXPECT_GT(most_layers, 3U);
  for (const auto& [key, count] : exact) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(filter.remove(bytes_of(key))) << key;
  }
  EXPECT_EQ(filter.layers(), 1U) << "layers without keys are freed, but for the newest";
  for (const auto& entry : exact) EXPECT_FALSE(filter.may_contain(bytes_of(entry.first), 0));
}

TEST(LayeredFilter, RatesOfFreedLayersAreGivenAgain) {
  LayeredFilter filter = made({{10, 0.01}, 1, LayerKind::kCounting});
  for (std::size_t round = 0; round < 200; ++round) {
    insert(filter, names(round * 15, round * 15 + 15));
    for (const std::string& key : names(round * 15, round * 15 + 15)) filter.remove(bytes_of(key));
  }
  EXPECT_LE(filter.layers(), 3U);
  EXPECT_LE(filter.slices().back().layers.back().shape().probes, 12U);
}

constexpr TimeWindow kMinute{60'000, 4};  // slices of 15 s

TEST(LayeredFilter, AWindowForgetsByTimeAndNeverTooSoon) {
  std::mt19937_64 random{7};
  LayeredFilter filter = made({{200, 0.001}, 2, LayerKind::kBlock, kMinute}, 1000);
  std::map<std::string, std::int64_t> written;
  std::int64_t now = 1000;
  std::size_t forgotten = 0;
  for (int step = 0; step < 4000; ++step) {
    now += static_cast<std::int64_t>(random() % 700);
    if (step % 500 == 499) now += 200'000;  // no writes for a while
    if (const auto due = filter.rotation_due(now)) {
      ASSERT_TRUE(*filter.rotate(*due));
    }
    const std::string key = "k" + std::to_string(random() % 500);
    ASSERT_EQ(insert(filter, {key}, now).size(), 1U);
    written[key] = now;
    ASSERT_LE(filter.slices().size(), 5U);
    for (const auto& [name, at] : written) {
      const bool found = filter.may_contain(bytes_of(name), now);
      if (now - at < 60'000) {
        ASSERT_TRUE(found) << name << " of " << at << " is missed at " << now;
      } else if (now - at >= 75'000) {
        forgotten += found ? 0 : 1;
      }
    }
  }
  EXPECT_GT(forgotten, 100'000U);
}

TEST(LayeredFilter, SlicesWhoseTimeIsOverDoNotAnswerEvenIfNobodyWrites) {
  LayeredFilter filter = made({{10, 0.001}, 2, LayerKind::kClassic, kMinute}, 1000);
  insert(filter, {"a"}, 1000);
  EXPECT_EQ(held(filter, {"a"}, 75'999), 1U);
  EXPECT_EQ(held(filter, {"a"}, 76'000), 0U);
  const LayeredFilter before = filter.clone();
  EXPECT_TRUE(filter.same_bytes(before)) << "asking changes nothing";
  EXPECT_EQ(filter.rotation_due(15'999), std::nullopt);
  EXPECT_EQ(filter.rotation_due(16'000), 16'000);
  EXPECT_EQ(filter.rotation_due(100'000), 91'000) << "whole spans after the first";
  EXPECT_FALSE(*filter.rotate(15'999));
}

TEST(LayeredFilter, AKeyWrittenAgainLivesForAnotherWindow) {
  LayeredFilter filter = made({{10, 0.001}, 0, LayerKind::kBlock, kMinute}, 0);
  insert(filter, {"a", "b"}, 0);
  ASSERT_TRUE(*filter.rotate(15'000));
  const auto answers = insert(filter, {"a"}, 15'000);
  EXPECT_EQ(answers[0].answer, InsertResult::kKnown);
  EXPECT_TRUE(answers[0].changed);
  EXPECT_FALSE(insert(filter, {"a"}, 15'000)[0].changed);
  ASSERT_TRUE(*filter.rotate(75'000));
  EXPECT_EQ(held(filter, {"a"}, 75'000), 1U);
  EXPECT_EQ(held(filter, {"b"}, 75'000), 0U);
}

TEST(LayeredFilter, AClockThatGoesBackLosesNothingAndIsFollowed) {
  const std::int64_t year = std::int64_t{365} * 86'400'000;
  LayeredFilter filter = made({{10, 0.001}, 2, LayerKind::kClassic, kMinute}, year);
  insert(filter, {"a"}, year);
  EXPECT_EQ(filter.rotation_due(year - 75'000), std::nullopt) << "a little is waited for";
  EXPECT_EQ(filter.rotation_due(5000), 5000);
  ASSERT_TRUE(*filter.rotate(5000));
  EXPECT_EQ(filter.slices().size(), 1U);
  EXPECT_EQ(held(filter, {"a"}, 79'999), 1U);
  EXPECT_EQ(held(filter, {"a"}, 80'000), 0U);
  // However often it jumps, slices do not pile up.
  for (std::int64_t jump = 0; jump < 200; ++jump) {
    const std::int64_t base = jump % 2 == 0 ? year : 5000;
    for (std::int64_t at = base; at < base + 60'000; at += 15'000)
      if (const auto due = filter.rotation_due(at)) {
        ASSERT_TRUE(*filter.rotate(*due));
        insert(filter, {"b"}, at);
      }
    ASSERT_LE(filter.slices().size(), kMinute.most_held());
    ASSERT_EQ(held(filter, {"b"}, base + 60'000), 1U);
  }
}

// A client's time, whatever it is, ends no slice that still answers, and moves none back.
TEST(LayeredFilter, ARequestedRotationNeverForgets) {
  std::mt19937_64 random{11};
  LayeredFilter filter = made({{200, 0.001}, 2, LayerKind::kBlock, kMinute}, 5'000'000);
  std::map<std::string, std::int64_t> written;
  std::int64_t now = 5'000'000;
  std::size_t rotated = 0;
  for (int step = 0; step < 2000; ++step) {
    now += static_cast<std::int64_t>(random() % 900);
    const std::int64_t asked = random() % 3 == 0
                                   ? static_cast<std::int64_t>(random() % (2 * 5'000'000))
                                   : now + static_cast<std::int64_t>(random() % 90'000) - 15'000;
    if (const auto time = filter.requested_rotation(asked, now)) {
      ASSERT_TRUE(*filter.rotate(*time));
      ++rotated;
    }
    if (const auto due = filter.rotation_due(now)) {
      ASSERT_TRUE(*filter.rotate(*due));
    }
    const std::string key = "k" + std::to_string(random() % 300);
    insert(filter, {key}, now);
    written[key] = now;
    ASSERT_LE(filter.slices().size(), kMinute.most_held());
    for (const auto& [name, at] : written)
      if (now - at < 60'000) {
        ASSERT_TRUE(filter.may_contain(bytes_of(name), now)) << name << " at step " << step;
      }
  }
  EXPECT_GT(rotated, 20U);
  EXPECT_EQ(filter.requested_rotation(0, now), std::nullopt) << "the past";
}

// The filter's own time runs with the steady clock, and its slices follow the wall clock's steps.
TEST(LayeredFilter, StepsOfTheClockNeitherShortenNorLengthenLives) {
  std::mt19937_64 random{5};
  LayeredFilter filter = made({{200, 0.001}, 2, LayerKind::kClassic, kMinute}, 1'000'000'000);
  std::int64_t steady = 0;
  std::int64_t offset = 1'000'000'000;
  filter.set_clock_ahead(offset);
  std::map<std::string, std::int64_t> written;
  std::size_t forgotten = 0;
  for (int step = 0; step < 3000; ++step) {
    steady += static_cast<std::int64_t>(random() % 700);
    if (step % 7 == 0) offset = static_cast<std::int64_t>(random() % 2'000'000'000) - steady;
    const ClockReading clock{steady + offset, steady};
    if (const std::int64_t by = clock_step(filter, clock); by != 0) {
      filter.shift_to(shifted_newest(filter, by));
      filter.set_clock_ahead(clock.ahead());
    }
    const std::int64_t now = steady + filter.clock_ahead();
    if (const auto due = filter.rotation_due(now)) {
      ASSERT_TRUE(*filter.rotate(*due));
    }
    const std::string key = "k" + std::to_string(random() % 500);
    insert(filter, {key}, now);
    written[key] = steady;
    for (const auto& [name, at] : written) {
      const bool found = filter.may_contain(bytes_of(name), now);
      if (steady - at < 60'000) {
        ASSERT_TRUE(found) << name << " at step " << step;
      } else if (steady - at >= 75'000) {
        forgotten += found ? 0 : 1;
      }
    }
  }
  EXPECT_GT(forgotten, 10'000U);
}

TEST(LayeredFilter, AReplicaIsNeverAheadOfItsPrimary) {
  LayeredFilter replica = made({{10, 0.001}, 2, LayerKind::kClassic, kMinute}, 1'000'000);
  const auto time = [&](std::int64_t steady) { return steady + replica.clock_ahead(); };
  follow_newest(replica, {.wall = 77, .steady = 500});
  EXPECT_EQ(time(500), 1'000'000) << "its own wall clock does not matter";
  EXPECT_EQ(time(1500), 1'001'000);
  follow_rotation(replica, 1'030'000, {.wall = 0, .steady = 2000});
  EXPECT_EQ(time(2000), 1'030'000) << "the primary's clock was there at least";
  follow_rotation(replica, 1'030'000, {.wall = 0, .steady = 12'000});
  EXPECT_EQ(time(12'000), 1'040'000) << "within a span it may be right";
  follow_rotation(replica, 1'030'000, {.wall = 0, .steady = 32'000});
  EXPECT_EQ(time(32'000), 1'045'000) << "and beyond it runs too fast";
}

TEST(LayeredFilter, AUnionHoldsAllKeysAndStaysWithinTheWindow) {
  const LayeredPlan plan{{100, 0.01}, 2, LayerKind::kBlock, kMinute};
  LayeredFilter first = made(plan, 0);
  LayeredFilter second = made(plan, 20'000);
  insert(first, names(0, 10), 0);
  insert(second, names(10, 20), 20'000);
  const LayeredFilter* others[] = {&second};
  const auto merged = LayeredFilter::union_of(first, others);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(held(*merged, names(0, 20), 20'000 + 60'000), 20U) << "no key dies too soon";
  const auto again = LayeredFilter::union_of(*merged, others);
  EXPECT_TRUE(again->same_bytes(*merged));
  const LayeredFilter* strangers[] = {&first};
  EXPECT_FALSE(LayeredFilter::union_of(made({{100, 0.01}, 2, LayerKind::kBlock}), strangers));
  EXPECT_FALSE(LayeredFilter::union_of(made({{100, 0.01}, 2, LayerKind::kBlock, kMinute, kSecret}),
                                       strangers));
}

TEST(LayeredFilter, CountsAddUpInAUnion) {
  const LayeredPlan plan{{100, 0.01}, 2, LayerKind::kCounting};
  LayeredFilter first = made(plan);
  LayeredFilter second = made(plan);
  insert(first, {"a", "b"});
  insert(second, {"a"});
  const LayeredFilter* others[] = {&second};
  auto merged = LayeredFilter::union_of(first, others);
  ASSERT_TRUE(merged.has_value());
  EXPECT_TRUE(merged->remove(bytes_of("a")));
  EXPECT_TRUE(merged->remove(bytes_of("a")));
  EXPECT_FALSE(merged->remove(bytes_of("a")));
  insert(second, names(0, 300));
  EXPECT_FALSE(LayeredFilter::union_of(first, others)) << "layers would hide each other's keys";
}

TEST(LayeredFilter, EmptiedIsAsItWasMade) {
  for (const LayeredPlan& plan : kPlans) {
    LayeredFilter filter = made(plan, 5000);
    insert(filter, names(0, 500), 5000);
    const auto empty = filter.emptied();
    ASSERT_TRUE(empty.has_value());
    EXPECT_TRUE(empty->same_bytes(made(plan, 5000)));
  }
}

}  // namespace
}  // namespace bloomery
