// Constructors and static creators with every odd number that a program can compute: each makes a
// filter that works, returns an error, or throws std::bad_alloc. None is undefined.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>

#include "bloomery/bloomery.h"
#include "bloomery/filter/block/concurrent.h"
#include "bloomery/filter/block/split_block.h"
#include "bloomery/filter/classic/counting.h"
#include "bloomery/filter/classic/scalable.h"
#include "bloomery/filter/cuckoo/cuckoo.h"
#include "bloomery/filter/seeded/builder.h"
#include "bloomery/formats/format.h"
#include "bloomery/formats/leveldb/block.h"

namespace bloomery {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kMost = UINT64_MAX;

constexpr std::uint64_t kCounts[] = {0,          1,          2,          63,         64,
                                     1000,       1ULL << 20, 1ULL << 31, 1ULL << 36, 1ULL << 48,
                                     1ULL << 61, 1ULL << 63, kMost - 1,  kMost};
constexpr double kRates[] = {kNoNumber, -kInfinity, -1,       -0.0,     0,    5e-324,
                             1e-300,    1e-13,      1e-12,    1e-4,     0.01, 0.5,
                             1 - 1e-16, 1,          1.000001, kInfinity};
constexpr std::uint32_t kProbes[] = {0, 1, 3, 4, 8, 9, 255, 1024, 1025, 1U << 31, UINT32_MAX};
constexpr std::uint64_t kSmall = 1000;  // keys go into these

const ByteView kKey = bytes_of("a key");

// Runs `make`; a filter that does not fit in memory may say so.
template <class Make>
void unless_out_of_memory(Make make) {
  try {
    make();
  } catch (const std::bad_alloc&) {
    SUCCEED();
  }
}

template <class F>
void expect_works(F& filter, std::uint64_t size) {
  if (size > kSmall) return;  // made of pages that nothing has touched yet, and better not
  (void)filter.insert(kKey);
  EXPECT_TRUE(filter.may_contain(kKey));
  EXPECT_FALSE(std::isnan(filter.health().fill));
}

template <class Visit>
void for_each_goal(Visit visit) {
  for (const std::uint64_t keys : kCounts)
    for (const double rate : kRates) {
      SCOPED_TRACE(testing::Message() << keys << " keys at " << rate);
      unless_out_of_memory([&] { visit(Goal{keys, rate}); });
    }
}

TEST(AnyGoal, MakesAFilterThatWorks) {
  int made = 0;
  for_each_goal([&](Goal goal) {
    Filter<std::string> filter{goal};
    ++made;
    if (goal.keys <= kSmall) {
      filter.insert("a key");
      EXPECT_TRUE(filter.may_contain("a key"));
    }
    const Goal clamped_goal = *filter.raw().provenance().goal;
    EXPECT_TRUE(checked(clamped_goal));
    const bool was_fine = checked(goal) && goal.false_positive_rate > 1e-200;
    EXPECT_TRUE(!was_fine || clamped_goal == goal);
  });
  EXPECT_GT(made, 100);
}

TEST(AnyGoal, OfNoKeysIsThatOfOne) {
  const std::vector<std::string> none;
  Filter<std::string> filter{{.keys = none.size(), .false_positive_rate = 0.01}};
  EXPECT_FALSE(filter.may_contain("a key"));
  EXPECT_TRUE(filter.insert("a key"));
  EXPECT_TRUE(filter.may_contain("a key"));
  EXPECT_EQ(filter.raw().provenance().goal, (Goal{1, 0.01}));
  Filter<std::uint64_t> numbers{{.keys = 0, .false_positive_rate = kNoNumber}};
  EXPECT_TRUE(numbers.insert(7));
  EXPECT_EQ(numbers.raw().provenance().goal, (Goal{1, kStrictestRate}));
}

template <class F>
void expect_for_goal_answers() {
  for_each_goal([&](Goal goal) {
    auto filter = F::for_goal(goal);
    EXPECT_TRUE(filter || !filter.error().message.empty());
    EXPECT_FALSE(filter && !checked(goal));
    if (filter) expect_works(*filter, goal.keys);
  });
}

TEST(AnyGoal, IsTakenOrRefusedByEveryFilter) {
  expect_for_goal_answers<BlockFilter>();
  expect_for_goal_answers<ConcurrentBlockFilter>();
  expect_for_goal_answers<ClassicFilter<BloomeryClassic>>();
  expect_for_goal_answers<CountingFilter<BloomeryClassic>>();
  expect_for_goal_answers<ScalableFilter<BloomeryClassic>>();
}

TEST(AnyGrowth, IsTakenOrRefused) {
  for (const std::uint32_t factor : {0U, 1U, 2U, 32768U, 32769U, UINT32_MAX})
    for (const double tightening : kRates)
      for (const std::uint32_t layers : {0U, 1U, 1024U, 1025U, UINT32_MAX}) {
        auto filter =
            ScalableFilter<BloomeryClassic>::for_goal({10, 0.01}, {factor, tightening, layers});
        if (!filter) continue;
        for (int i = 0; i < 40; ++i) (void)filter->insert(bytes_of(std::to_string(i)));
        EXPECT_TRUE(filter->may_contain(bytes_of("0")));
      }
}

TEST(AnyGrowth, AStackWithoutLayersAnswersMaybe) {
  const ScalableFilter<BloomeryClassic> filter{{1, 0.5}, {}, {}};
  EXPECT_TRUE(filter.may_contain(kKey));
}

template <class F>
void expect_shapes_work() {
  for (const std::uint64_t bits : kCounts)
    for (const std::uint32_t probes : kProbes)
      unless_out_of_memory([&, bits, probes] {
        SCOPED_TRACE(testing::Message() << bits << " bits, " << probes << " probes");
        F filter{Shape{bits, probes}};
        if (filter.shape().probes <= kMaxProbes) expect_works(filter, bits);
      });
}

TEST(AnyShape, MakesAFilterThatWorks) {
  expect_shapes_work<ClassicFilter<BloomeryClassic>>();
  expect_shapes_work<CountingFilter<BloomeryClassic, 2>>();
  expect_shapes_work<CountingFilter<BloomeryClassic, 8>>();
}

TEST(AnyShape, OfBlocksMakesAFilterThatWorks) {
  for (const std::uint64_t blocks : kCounts)
    for (const std::uint32_t probes : kProbes)
      for (const bool seeded : {false, true})
        unless_out_of_memory([=] {
          SCOPED_TRACE(testing::Message() << blocks << " blocks, " << probes << " probes");
          BlockFilter filter{{blocks, probes, seeded}};
          EXPECT_TRUE(checked(filter.block_shape()));
          expect_works(filter, blocks);
          ConcurrentBlockFilter concurrent{{blocks, probes, seeded}};
          expect_works(concurrent, blocks);
        });
}

TEST(AnyShape, IsTakenOrRefusedByBuilders) {
  for (const std::uint64_t blocks : kCounts)
    for (const std::uint32_t probes : kProbes)
      EXPECT_EQ(SeededBuilder::create({blocks, probes, true}, KeyHash{}).has_value(),
                checked(BlockShape{blocks, probes, true}).has_value());
  for (const std::uint32_t threads : {0U, 1U})
    for (const std::uint32_t sets : {0U, 1U, 8U, 31U, 33U, UINT32_MAX})
      EXPECT_EQ(
          SeededBuilder::create({4, 5, true}, KeyHash{}, {.threads = threads, .window_sets = sets})
              .has_value(),
          threads == 1 && sets == 8);
}

TEST(AnyShape, OfSplitBlocksMakesAFilterThatWorks) {
  for (const std::uint64_t blocks : kCounts)
    unless_out_of_memory([=] {
      SplitBlockFilter filter{blocks};
      if (blocks > kSmall) return;
      EXPECT_TRUE(filter.insert(0x1234567890abcdef));
      EXPECT_TRUE(filter.may_contain(0x1234567890abcdef));
    });
}

TEST(AnyShape, OfBucketsIsTakenOrRefused) {
  constexpr DecodeLimits kLimits{.max_bytes = std::uint64_t{1} << 24};
  for (const std::uint64_t buckets : kCounts)
    for (const unsigned size : {0U, 1U, 2U, 255U, 256U, 65535U})
      for (const unsigned expansion : {0U, 1U, 2U, 3U, 32768U, 65535U})
        for (const std::uint64_t layers : {std::uint64_t{0}, std::uint64_t{1}, kMost}) {
          const CuckooShape shape{buckets, 0, static_cast<std::uint16_t>(size), 20,
                                  static_cast<std::uint16_t>(expansion)};
          auto filter = CuckooFilter::create(shape, layers, kLimits);
          EXPECT_TRUE(!filter || filter->size_bytes() <= kLimits.max_bytes);
        }
}

TEST(AnyNumber, OfBitsPerKeyAndBaseIsTakenOrRefusedByAFilterBlock) {
  for (const double bits_per_key : {kNoNumber, -1.0, 0.0, 0.5, 10.0, 65537.0, kInfinity})
    for (const std::uint32_t base_lg : {0U, 11U, 63U, 64U, UINT32_MAX}) {
      LevelDbFilterBlockBuilder builder{bits_per_key, base_lg};
      (void)builder.start_block(0);
      builder.add(kKey);
      const auto block = builder.finish();
      EXPECT_EQ(block.has_value(), bits_per_key == 0 || bits_per_key == 10) << bits_per_key;
    }
}

// A filter of that format, or an error with a sentence; and what was made works.
void expect_creates(const Format& format, const CreateOptions& options) {
  unless_out_of_memory([&] {
    auto filter = format.create(options);
    if (!filter) {
      EXPECT_FALSE(filter.error().message.empty());
      return;
    }
    std::uint8_t answer = 0;
    if (!insert_batch(*filter, {&kKey, 1}, {&answer, 1})) return;
    const auto asked = may_contain_batch(*filter, {&kKey, 1}, {&answer, 1});
    EXPECT_TRUE(!asked || answer == 1) << format.name;
    EXPECT_TRUE(format.encode(*filter)) << format.name;
  });
}

std::vector<SizingRequest> odd_sizes() {
  std::vector<SizingRequest> sizes{{}};
  for (const std::uint64_t count : kCounts) {
    sizes.push_back({.keys = count});
    sizes.push_back({.bits = count});
    sizes.push_back({.blocks = count});
    for (const double rate : kRates) {
      sizes.push_back({.keys = count, .rate = rate});
      sizes.push_back({.rate = rate, .bits = count});
      sizes.push_back({.rate = rate, .blocks = count});
      sizes.push_back({.keys = count, .bits_per_key = rate});
      sizes.push_back({.keys = count, .bits_per_key = rate * 1000});
    }
    for (const std::uint32_t probes : kProbes) {
      sizes.push_back({.bits = count, .probes = probes});
      sizes.push_back({.keys = count, .probes = probes});
      sizes.push_back({.keys = 100, .bits = count, .probes = probes});
      sizes.push_back({.keys = count, .rate = 0.01, .probes = probes});
      sizes.push_back({.probes = probes, .blocks = count});
    }
  }
  return sizes;
}

TEST(AnySize, IsTakenOrRefusedByEveryFormat) {
  const auto sizes = odd_sizes();
  for (const Format& format : formats()) {
    if (format.create == nullptr) continue;
    SCOPED_TRACE(format.name);
    for (const SizingRequest& sizing : sizes)
      expect_creates(format, {.sizing = sizing, .limits = {.max_bytes = 1 << 16}});
  }
}

TEST(AnySize, IsTakenOrRefusedByEveryLayout) {
  const auto sizes = odd_sizes();
  const Format& format = *find_format("bloomery");
  for (const Layout layout :
       {Layout::kClassic, Layout::kBlock, Layout::kLines, Layout::kCounting, Layout::kScalable})
    for (const SizingRequest& sizing : sizes) {
      CreateOptions options{.sizing = sizing, .limits = {.max_bytes = 1 << 16}, .layout = layout};
      expect_creates(format, options);
      options.seeded = true;
      expect_creates(format, options);
    }
}

TEST(AnySize, OtherOddOptionsAreTakenOrRefused) {
  for (const Format& format : formats()) {
    if (format.create == nullptr) continue;
    for (const std::uint32_t number :
         {0U, 1U, 3U, 5U, 63U, 64U, 255U, 32768U, 65536U, UINT32_MAX}) {
      CreateOptions options{.sizing = {.keys = 100, .rate = 0.01}};
      options.limits.max_bytes = 1 << 16;
      options.base_lg = number;
      options.expansion = number;
      expect_creates(format, options);
      options.layout = Layout::kCounting;
      options.counter_bits = number;
      expect_creates(format, options);
      for (const double rate : kRates) {
        options.layout = Layout::kScalable;
        options.growth = {number, rate, number};
        expect_creates(format, options);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
