#include "bloomery/filter/cuckoo/cuckoo.h"

#include <gtest/gtest.h>

#include <map>
#include <memory_resource>
#include <random>

#include "tests/filter/cuckoo_model.h"

namespace bloomery {
namespace {

using Outcome = CuckooOutcome;
using Numbers = std::initializer_list<std::uint16_t>;
constexpr std::uint64_t kSpread = 0x9e3779b1;  // any odd number

CuckooDigest digest_of(std::uint64_t hash) {
  return {hash, static_cast<std::uint8_t>(hash % 255 + 1)};
}
CuckooFilter made(const CuckooShape& shape, DecodeLimits limits = {},
                  std::pmr::memory_resource* memory = nullptr) {
  auto filter = CuckooFilter::create(shape, 1, limits, memory);
  EXPECT_TRUE(filter) << filter.error().message;
  return std::move(*filter);
}

TEST(Cuckoo, AKeyIsCountedAsOftenAsItWasInserted) {
  CuckooFilter filter = made({64, kSpread});
  const CuckooDigest key = digest_of(12345);
  EXPECT_FALSE(filter.may_contain(key));
  EXPECT_EQ(filter.insert_if_absent(key), Outcome::kInserted);
  EXPECT_EQ(filter.insert_if_absent(key), Outcome::kPresent);
  EXPECT_EQ(filter.insert(key), Outcome::kInserted);
  EXPECT_EQ(filter.count(key), 2U);
  EXPECT_EQ(filter.keys(), 2U);
  EXPECT_TRUE(filter.remove(key));
  EXPECT_TRUE(filter.may_contain(key));
  EXPECT_TRUE(filter.remove(key));
  EXPECT_FALSE(filter.remove(key));
  EXPECT_EQ(filter.occupied_slots(), 0U);
  EXPECT_EQ(filter.removals(), 2U);
}

TEST(Cuckoo, AKeyWhoseBucketsAreOneIsCountedOnce) {
  CuckooFilter filter = made({2, kSpread});
  const CuckooDigest even{7, 4};  // an even fingerprint changes no lowest bit
  ASSERT_EQ(filter.insert(even), Outcome::kInserted);
  EXPECT_EQ(filter.count(even), 1U);
}

TEST(Cuckoo, TheFirstFreeSlotIsTakenAndThenTheOtherBucket) {
  CuckooFilter filter = made({4, 1, 2});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(filter.insert({4 + 1, 2}), Outcome::kInserted);
  const std::byte expected[] = {std::byte{0}, std::byte{0}, std::byte{2}, std::byte{2},
                                std::byte{0}, std::byte{0}, std::byte{2}, std::byte{0}};
  EXPECT_TRUE(std::ranges::equal(filter.table(0), expected));  // buckets 1 and 1 ^ 2
}

TEST(Cuckoo, AFullFilterThatDoesNotGrowIsLeftByteForByte) {
  for (const std::uint16_t size : Numbers{1, 2, 3, 4, 255})
    for (const std::uint16_t iterations : Numbers{1, 2, 7, 20, 65535}) {
      CuckooFilter filter = made({16, kSpread, size, iterations, 0});
      std::mt19937_64 random{size * 100000U + iterations};
      int failures = 0;
      for (int i = 0; i < 40 * size && failures < 3; ++i) {
        const CuckooFilter before = filter.clone();
        if (filter.insert(digest_of(random())) == Outcome::kInserted) continue;
        ++failures;
        ASSERT_EQ(filter, before) << size << " slots, " << iterations << " iterations";
      }
      EXPECT_GT(failures, 0);
      EXPECT_EQ(filter.occupied_slots(), filter.keys());
    }
}

TEST(Cuckoo, NothingIsInsertedOnceThereAreAsManyLayersAsAllowed) {
  CuckooFilter filter = made({64, kSpread});
  const CuckooDigest key = digest_of(99);
  EXPECT_EQ(filter.insert(key, 2), Outcome::kInserted);
  EXPECT_EQ(filter.insert(key, 1), Outcome::kTooManyLayers);
  EXPECT_EQ(filter.insert_if_absent(key, 1), Outcome::kTooManyLayers);
  EXPECT_EQ(filter.keys(), 1U);
}

TEST(Cuckoo, GrowthStopsAtTheMemoryLimitAndChangesNothing) {
  CuckooFilter filter = made({8, kSpread, 2, 20, 2}, {.max_bytes = 16 + 32 + 63});
  std::mt19937_64 random{1};
  Outcome outcome = Outcome::kInserted;
  CuckooFilter before = filter.clone();
  for (int i = 0; i < 100 && outcome == Outcome::kInserted; ++i) {
    before = filter.clone();
    outcome = filter.insert(digest_of(random()));
  }
  EXPECT_EQ(outcome, Outcome::kBeyondLimit);
  EXPECT_EQ(filter.layers(), 2U);
  EXPECT_EQ(filter.buckets(1), 16U);
  EXPECT_EQ(filter, before);
}

TEST(Cuckoo, GrowthUsesTheMemoryLimitToItsLastByte) {
  CuckooFilter filter = made({8, kSpread, 2, 20, 2}, {.max_bytes = 16 + 32 + 64});
  std::mt19937_64 random{1};
  while (filter.insert(digest_of(random())) == Outcome::kInserted) {
  }
  EXPECT_EQ(filter.layers(), 3U);
  EXPECT_EQ(filter.size_bytes(), 16U + 32 + 64);
}

TEST(Cuckoo, AShapeThatCannotBeIsRefused) {
  const std::pair<CuckooShape, std::uint64_t> shapes[] = {
      {{0, kSpread}, 1},           {{3, kSpread}, 1},       {{4, kSpread, 0}, 1},
      {{4, kSpread, 256}, 1},      {{4, kSpread, 2, 0}, 1}, {{4, kSpread, 2, 20, 3}, 1},
      {{4, kSpread, 2, 20, 0}, 2}, {{4, kSpread}, 0},
  };
  for (const auto& [shape, layers] : shapes) {
    const auto filter = CuckooFilter::create(shape, layers);
    ASSERT_FALSE(filter) << shape.buckets << " " << layers;
    EXPECT_EQ(filter.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Cuckoo, LayersBeyondTheLimitAreRefusedHoweverTheirProductWraps) {
  const std::pair<CuckooShape, std::uint64_t> shapes[] = {
      {{std::uint64_t{1} << 63, kSpread, 2}, 1},
      {{4, kSpread, 255, 20, 32768}, 5},
      {{std::uint64_t{1} << 20, kSpread, 1, 20, 32768}, 4},
      {{1, kSpread, 1, 20, 2}, 66},
      {{std::uint64_t{1} << 20, kSpread, 1, 20, 1}, UINT64_MAX},
  };
  for (const auto& [shape, layers] : shapes)
    for (const std::uint64_t limit : {std::uint64_t{1} << 30, UINT64_MAX >> 16}) {
      const auto bytes = CuckooFilter::bytes_of_layers(shape, layers, {limit});
      ASSERT_FALSE(bytes) << shape.buckets << " " << layers;
      EXPECT_EQ(bytes.error().code, ErrorCode::kTooLarge);
    }
  EXPECT_EQ(*CuckooFilter::bytes_of_layers({4, kSpread, 2, 20, 2}, 3, {56}), 56U);
  EXPECT_FALSE(CuckooFilter::bytes_of_layers({4, kSpread, 2, 20, 2}, 3, {55}));
}

// Tables that hold more than their count says, as loaded bytes may.
TEST(Cuckoo, ACountThatIsTooLowIsMendedWhenItRunsOut) {
  CuckooFilter filter = made({64, kSpread});
  for (std::uint64_t i = 0; i < 100; ++i)
    ASSERT_EQ(filter.insert(digest_of(i * 0x9e3779b97f4a7c15)), Outcome::kInserted);
  filter.set_counts(0, UINT64_MAX);
  EXPECT_TRUE(filter.remove(digest_of(0)));
  EXPECT_EQ(filter.keys(), 99U);
  filter.set_counts(filter.size_bytes(), 0);
  EXPECT_EQ(filter.insert(digest_of(0)), Outcome::kInserted);
  EXPECT_EQ(filter.keys(), filter.size_bytes());
}

class CountingResource : public std::pmr::memory_resource {
 public:
  std::size_t held = 0;
  bool refuses = false;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (refuses) throw std::bad_alloc{};
    held += size;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* data, std::size_t size, std::size_t alignment) override {
    held -= size;
    std::pmr::new_delete_resource()->deallocate(data, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(Cuckoo, TablesLieInTheGivenMemoryAndGoBackToIt) {
  CountingResource memory;
  {
    CuckooFilter filter = made({8, kSpread}, {}, &memory);
    std::mt19937_64 random{5};
    std::vector<CuckooDigest> keys;
    while (filter.layers() < 4) {
      keys.push_back(digest_of(random()));
      ASSERT_EQ(filter.insert(keys.back()), Outcome::kInserted);
    }
    EXPECT_EQ(memory.held, filter.size_bytes());
    EXPECT_EQ(memory.held, 64U);
    for (const CuckooDigest key : keys) ASSERT_TRUE(filter.remove(key));
    filter.compact();
    EXPECT_EQ(filter.layers(), 1U);
    EXPECT_EQ(memory.held, 16U);
  }
  EXPECT_EQ(memory.held, 0U);
}

TEST(Cuckoo, MemoryThatIsRefusedLeavesTheFilterAsItWas) {
  CountingResource memory;
  CuckooFilter filter = made({8, kSpread}, {}, &memory);
  std::mt19937_64 random{6};
  memory.refuses = true;
  bool thrown = false;
  for (int i = 0; i < 100 && !thrown; ++i) {
    memory.refuses = false;
    const CuckooFilter before = filter.clone();
    memory.refuses = true;
    try {
      (void)filter.insert(digest_of(random()));
    } catch (const std::bad_alloc&) {
      thrown = true;
      EXPECT_EQ(filter, before);
    }
  }
  EXPECT_TRUE(thrown);
  EXPECT_EQ(filter.layers(), 1U);
}

// --- against the model ---

void expect_same(const CuckooFilter& filter, const testing::CuckooModel& model) {
  ASSERT_EQ(filter.layers(), model.layers());
  ASSERT_EQ(filter.keys(), model.keys);
  ASSERT_EQ(filter.removals(), model.removals);
  for (std::size_t i = 0; i < filter.layers(); ++i)
    ASSERT_TRUE(std::ranges::equal(filter.table(i), model.bytes(i))) << "layer " << i;
}

// One random step of both; the multiset knows the truth. Only keys that are in are removed.
void step(CuckooFilter& filter, testing::CuckooModel& model,
          std::map<std::uint64_t, std::uint64_t>& truth, std::mt19937_64& random, bool shrinking) {
  const std::uint64_t number = random() % 200;
  const CuckooDigest key = digest_of(number * 0xbea225f9eb34556d);
  const std::uint64_t max_layers = random() % 50 == 0 ? 2 : 3000;
  const std::uint64_t choice = random() % 100;
  ASSERT_EQ(filter.count(key), model.count(key));
  if (choice < (shrinking ? 60U : 20U)) {
    if (truth[number] == 0) return;
    ASSERT_TRUE(filter.remove(key));
    ASSERT_TRUE(model.remove(key));
    --truth[number];
  } else if (choice < (shrinking ? 70U : 75U)) {
    const Outcome outcome = filter.insert(key, max_layers);
    ASSERT_EQ(outcome, model.insert(key, max_layers));
    truth[number] += outcome == Outcome::kInserted ? 1 : 0;
  } else if (choice < 98) {
    if (truth[number] == 0 && filter.may_contain(key)) return;  // its removal would be another's
    const Outcome outcome = filter.insert_if_absent(key, max_layers);
    ASSERT_EQ(outcome, model.insert_if_absent(key, max_layers));
    truth[number] += outcome == Outcome::kInserted ? 1 : 0;
  } else {
    filter.compact();
    model.compact();
  }
}

void obeys_the_model(const CuckooShape& shape, std::uint64_t seed, int steps) {
  SCOPED_TRACE(::testing::Message()
               << "buckets " << shape.buckets << " of " << shape.bucket_size << ", iterations "
               << shape.max_iterations << ", expansion " << shape.expansion << ", seed " << seed);
  CuckooFilter filter = made(shape);
  testing::CuckooModel model{shape};
  std::map<std::uint64_t, std::uint64_t> truth;
  std::mt19937_64 random{seed};
  for (int i = 0; i < steps; ++i) {
    step(filter, model, truth, random, i % 400 >= 250);
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_NO_FATAL_FAILURE(expect_same(filter, model)) << "step " << i;
    if (i % 16 != 0) continue;
    for (const auto& [number, times] : truth)
      ASSERT_GE(filter.count(digest_of(number * 0xbea225f9eb34556d)), times) << number;
  }
}

TEST(CuckooModel, RandomStepsGiveTheSameAnswersAndBytes) {
  std::uint64_t seed = 1;
  for (const std::uint64_t buckets : {1U, 2U, 8U, 64U})
    for (const std::uint16_t size : Numbers{1, 2, 3, 4})
      for (const std::uint16_t iterations : Numbers{1, 5, 20})
        for (const std::uint16_t expansion : Numbers{0, 1, 2, 4})
          obeys_the_model({buckets, kSpread, size, iterations, expansion}, seed++, 400);
}

TEST(CuckooModel, AFilterOfVeryManyLayersIsCompactedAlike) {
  const CuckooShape shape{4, kSpread, 1, 1, 1};
  CuckooFilter filter = made(shape);
  testing::CuckooModel model{shape};
  std::mt19937_64 random{8};
  std::vector<CuckooDigest> keys;
  while (filter.layers() < 300) {
    keys.push_back(digest_of(random() % 4000));
    ASSERT_EQ(filter.insert(keys.back()), model.insert(keys.back(), 3000));
  }
  std::shuffle(keys.begin(), keys.end(), random);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(filter.remove(keys[i]), model.remove(keys[i]));
    if (i % 97 == 0) {
      filter.compact();
      model.compact();
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(filter, model)) << i;
  }
  EXPECT_EQ(filter.layers(), 1U);
}

// --- health ---

TEST(CuckooHealth, TheRateOfOneLayerIsExact) {
  for (const std::uint64_t buckets : {1U, 2U, 64U, 512U})
    for (const std::uint16_t size : Numbers{1, 2, 4, 9}) {
      CuckooFilter filter = made({buckets, kSpread, size, 20, 0});
      std::mt19937_64 random{buckets + size};
      for (std::uint64_t i = 0; i < buckets * size * 9 / 10; ++i)
        (void)filter.insert(digest_of(random() % 1000));  // repeats, too
      std::uint64_t maybes = 0;
      for (std::uint64_t bucket = 0; bucket < buckets; ++bucket)
        for (unsigned fingerprint = 1; fingerprint <= 255; ++fingerprint)
          maybes += filter.may_contain({bucket, static_cast<std::uint8_t>(fingerprint)}) ? 1 : 0;
      const double rate = static_cast<double>(maybes) / static_cast<double>(buckets * 255);
      const Health health = filter.health();
      EXPECT_NEAR(health.error_rate, rate, 1e-12) << buckets << " " << size;
      EXPECT_FALSE(health.sampled);
      EXPECT_EQ(health.estimated_keys, static_cast<double>(filter.keys()));
      EXPECT_DOUBLE_EQ(health.fill,
                       static_cast<double>(filter.keys()) / static_cast<double>(buckets * size));
    }
}

TEST(CuckooHealth, TheRateOfLayersIsTheOneMeasured) {
  CuckooFilter filter = made({1024, kSpread, 2, 20, 2});
  std::mt19937_64 random{3};
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(filter.insert(digest_of(random())), Outcome::kInserted);
  ASSERT_GE(filter.layers(), 3U);
  constexpr int kAsked = 400'000;
  int maybes = 0;
  for (int i = 0; i < kAsked; ++i) maybes += filter.may_contain(digest_of(random())) ? 1 : 0;
  const double rate = filter.health().error_rate;
  EXPECT_GT(rate, 0.01);
  EXPECT_NEAR(maybes / double{kAsked}, rate, 4 * std::sqrt(rate / kAsked));
}

TEST(CuckooHealth, ALargeFilterIsJudgedByAPartOfIt) {
  CuckooFilter filter = made({std::uint64_t{1} << 21, kSpread, 1, 20, 1});
  std::mt19937_64 random{4};
  for (int i = 0; i < 500'000; ++i) (void)filter.insert(digest_of(random()));
  const Health health = filter.health();
  EXPECT_TRUE(health.sampled);
  EXPECT_NEAR(health.error_rate, 2 * 500'000.0 / (1 << 21) / 255, 2e-5);
}

TEST(CuckooHealth, OnlyAFilterThatDoesNotGrowIsSaturatedByItsFill) {
  for (const std::uint16_t expansion : Numbers{0, 1}) {
    CuckooFilter filter = made({64, kSpread, 2, 20, expansion});
    std::ranges::fill(filter.table(0), std::byte{7});
    EXPECT_EQ(filter.health().fill, 1);
    EXPECT_DOUBLE_EQ(filter.health().error_rate, 1.0 / 255);
    EXPECT_EQ(filter.health().verdict, expansion == 0 ? Verdict::kSaturated : Verdict::kOk);
  }
}

}  // namespace
}  // namespace bloomery
