#include "apps/tracker/state/cycle_filter.h"

#include <gtest/gtest.h>

#include <random>

#include "apps/tracker/state/change_log.h"
#include "apps/tracker/state/cycle.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"
#include "tests/formats/hostile.h"

namespace bloomery::tracker {
namespace {

std::vector<Hash128> digests(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random{seed};
  std::vector<Hash128> keys(count);
  for (Hash128& key : keys) key = {random(), random()};
  return keys;
}

double measured_rate(const CycleFilter& filter) {
  constexpr std::size_t kAsked = 200'000;
  std::size_t maybes = 0;
  for (const Hash128 key : digests(99, kAsked)) maybes += filter.may_contain(key) ? 1U : 0U;
  return static_cast<double>(maybes) / kAsked;
}

TEST(CycleFilter, GrowsFromFourThousandKeysToAMillionAndKeepsItsRate) {
  CycleFilter filter{{.rate = 0.01}};
  EXPECT_EQ(filter.size_bytes(), 0U);
  EXPECT_TRUE(filter.empty());
  const auto keys = digests(1, 1'000'000);
  std::size_t inserted = 0;
  for (const std::size_t count : {100UL, 10'000UL, 100'000UL, 1'000'000UL}) {
    filter.insert_batch(std::span{keys}.subspan(inserted, count - inserted));
    inserted = count;
    EXPECT_LT(measured_rate(filter), 0.01) << count;
    EXPECT_LT(filter.health().error_rate, 0.01) << count;
    EXPECT_EQ(filter.health().verdict, Verdict::kOk);
    EXPECT_NEAR(static_cast<double>(filter.keys()), static_cast<double>(count),
                0.02 * static_cast<double>(count));
  }
  for (const Hash128 key : keys) ASSERT_TRUE(filter.may_contain(key));
  EXPECT_GT(filter.layers().size(), 5U);
  EXPECT_LT(filter.size_bytes(), 6U << 20);
}

TEST(CycleFilter, OneKeyAtATimeGivesTheSameLayersAsABatch) {
  CycleFilter one{{.rate = 0.02, .first_keys = 64}};
  CycleFilter batch{{.rate = 0.02, .first_keys = 64}};
  auto keys = digests(2, 5000);
  keys.insert(keys.end(), keys.begin(), keys.begin() + 1000);
  for (const Hash128 key : keys) one.insert(key);
  batch.insert_batch(keys);
  ASSERT_EQ(one.layers().size(), batch.layers().size());
  for (std::size_t i = 0; i < one.layers().size(); ++i)
    EXPECT_TRUE(one.layers()[i] == batch.layers()[i]) << i;
}

TEST(CycleFilter, RefusesRatesAndSizesOutOfReach) {
  EXPECT_FALSE(checked(CycleGoal{.rate = 0}));
  EXPECT_FALSE(checked(CycleGoal{.rate = 0.5}));
  EXPECT_FALSE(checked(CycleGoal{.rate = std::nan("")}));
  EXPECT_FALSE(checked(CycleGoal{.first_keys = 1}));
  EXPECT_FALSE(checked(CycleGoal{.first_keys = UINT64_MAX}));
  EXPECT_TRUE(checked(CycleGoal{.rate = kLowestRate, .first_keys = kMostFirstKeys}));
}

TEST(CycleFilter, EverythingIsAWordThatStaysAndKeepsItsFirstReason) {
  CycleFilter filter;
  filter.insert(path_digest("a"));
  EXPECT_FALSE(filter.may_have_changed("b"));
  filter.flag_everything("first");
  filter.flag_everything("second");
  EXPECT_EQ(filter.reason(), "first");
  EXPECT_TRUE(filter.may_have_changed("b"));
  EXPECT_EQ(filter.size_bytes(), 0U);
  EXPECT_FALSE(filter.insert(path_digest("c")));
  EXPECT_EQ(filter.health().verdict, Verdict::kSaturated);
  CycleFilter nameless;
  nameless.flag_everything("");
  EXPECT_TRUE(nameless.everything());
}

TEST(CycleFilter, ASubtreeAnswersForItselfAndWhatIsAboveAndBelow) {
  CycleFilter filter;
  filter.flag_below("home/ann/mail");
  for (const char* path : {"", "home", "home/ann", "home/ann/mail", "home/ann/mail/x/y"})
    EXPECT_TRUE(filter.may_have_changed(path)) << path;
  for (const char* path : {"home/ann/mail2", "home/bob", "mail"})
    EXPECT_FALSE(filter.may_have_changed(path)) << path;
  filter.flag_below("home/ann/mail/x");
  EXPECT_EQ(filter.below(), std::vector<std::string>{"home/ann/mail"});
  filter.flag_below("home");
  EXPECT_EQ(filter.below(), std::vector<std::string>{"home"});
  for (std::size_t i = 0; i < kMaxBelow; ++i) filter.flag_below("t/" + std::to_string(i));
  EXPECT_TRUE(filter.everything());
}

TEST(CycleFilter, AMergeThatNeedsMoreMemoryThanACycleMayIsEverything) {
  CycleFilter all{{.rate = kLowestRate}};
  for (std::uint64_t i = 0; i < 20 && !all.everything(); ++i) {
    CycleFilter other{{.rate = kLowestRate, .first_keys = kMostFirstKeys - (i << 16)}};
    other.insert(path_digest("a"));
    all.merge(other);
    ASSERT_LE(all.size_bytes(), kMaxCycleBytes);
  }
  EXPECT_NE(all.reason().find("memory"), std::string::npos);
}

TEST(CycleFilter, AMergeKnowsWhatEitherKnew) {
  CycleFilter a{{.first_keys = 64}};
  CycleFilter b{{.first_keys = 64}};
  const auto in_a = digests(3, 3000);
  const auto in_b = digests(4, 20);
  a.insert_batch(in_a);
  b.insert_batch(in_b);
  b.flag_below("tree");
  CycleFilter both = a.clone();
  both.merge(b);
  for (const Hash128 key : in_a) ASSERT_TRUE(both.may_contain(key));
  for (const Hash128 key : in_b) ASSERT_TRUE(both.may_contain(key));
  EXPECT_TRUE(both.may_have_changed("tree/leaf"));
  CycleFilter small;  // twice the same few keys need no second layer
  small.insert_batch(in_b);
  CycleFilter again = small.clone();
  again.merge(small);
  EXPECT_EQ(again.layers().size(), 1U);
  b.flag_everything("lost");
  both.merge(b);
  EXPECT_EQ(both.reason(), "lost");
}

Cycle example() {
  Cycle cycle{
      {7, 0x1122334455667788}, 1'700'000'000, CycleFilter{{.rate = 0.05, .first_keys = 64}}};
  cycle.filter.insert_batch(digests(5, 300));
  cycle.filter.flag_below("bucket/folder");
  cycle.filter.flag_below(std::string_view{"odd\n\xff\0name", 10});
  return cycle;
}

TEST(Cycle, BytesComeBackAsTheSameCycle) {
  Cycle everything{{9, 1}, 5};
  everything.filter.flag_everything("lost");
  for (const Cycle& cycle : {example(), Cycle{{1, 0}, 0}, everything.clone()}) {
    const auto bytes = encode_cycle(cycle);
    const auto decoded = decode_cycle(bytes, {});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->id, cycle.id);
    EXPECT_EQ(decoded->started_unix, cycle.started_unix);
    EXPECT_EQ(decoded->filter.goal(), cycle.filter.goal());
    EXPECT_EQ(decoded->filter.below(), cycle.filter.below());
    EXPECT_EQ(decoded->filter.reason(), cycle.filter.reason());
    EXPECT_EQ(decoded->filter.keys(), cycle.filter.keys());
    EXPECT_TRUE(encode_cycle(*decoded) == bytes);
  }
}

TEST(Cycle, DecodedFiltersGoOnGrowing) {
  auto decoded = decode_cycle(encode_cycle(example()), {});
  ASSERT_TRUE(decoded);
  CycleFilter expected = example().filter.clone();
  const auto more = digests(6, 2000);
  expected.insert_batch(more);
  decoded->filter.insert_batch(more);
  ASSERT_EQ(decoded->filter.layers().size(), expected.layers().size());
  for (const Hash128 key : more) ASSERT_TRUE(decoded->filter.may_contain(key));
}

void with_right_sum(std::vector<std::byte>& bytes) {
  if (bytes.size() < 8) return;
  store_le(bytes.data() + bytes.size() - 8, xxh3_64(ByteView{bytes}.first(bytes.size() - 8)));
}

TEST(Cycle, SurvivesHostileBytesWithAndWithoutARightChecksum) {
  const auto good = encode_cycle(example());
  const auto ask = [](const Cycle& cycle) { (void)cycle.filter.may_have_changed("a"); };
  const auto decode = [](ByteView bytes) { return decode_cycle(bytes, {.max_bytes = 1 << 20}); };
  testing::survive_hostile_bytes(good, decode, ask);
  const auto mended = [&](ByteView bytes) {
    std::vector<std::byte> copy{bytes.begin(), bytes.end()};
    with_right_sum(copy);
    return decode(copy);
  };
  testing::survive_hostile_bytes(good, mended, ask);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    auto bad = good;
    bad[i] ^= std::byte{0x10};
    EXPECT_FALSE(decode_cycle(bad, {})) << i;
  }
  EXPECT_EQ(decode_cycle(good, {.max_bytes = 100}).error().code, ErrorCode::kTooLarge);
}

TEST(ChangeLog, EveryFolderAboveAMarkIsFound) {
  CycleFilter filter;
  ChangeLog log;
  for (int i = 0; i < 50'000; ++i)
    log.mark(filter, message("tree/", i % 7, "/", i % 1009, "/", i % 31, "/file", i));
  log.flush(filter);
  for (int i = 0; i < 50'000; ++i) {
    const std::string path = message("tree/", i % 7, "/", i % 1009, "/", i % 31, "/file", i);
    for (std::string_view at = path; !at.empty(); at = parent_of(at))
      ASSERT_TRUE(filter.may_have_changed(at)) << at;
  }
  EXPECT_TRUE(filter.may_have_changed(""));
}

TEST(ChangeLog, ANewFilterGetsTheFoldersAgain) {
  ChangeLog log;
  CycleFilter first;
  log.mark(first, "a/b/c");
  log.flush(first);
  log.forget();
  CycleFilter second;
  log.mark(second, "a/b/d");
  log.flush(second);
  EXPECT_TRUE(second.may_have_changed("a/b"));
  EXPECT_TRUE(second.may_have_changed("a"));
  EXPECT_TRUE(second.may_have_changed(""));
}

}  // namespace
}  // namespace bloomery::tracker
