#include "apps/cli/filters/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "bloomery/filter/classic/bit_array.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {
namespace {

TEST(WronglyDropped, EqualsWhatASimulationDrops) {
  // A filter of 8192 bits and 5 probes, filled with 2000 random distinct keys.
  constexpr std::uint64_t kBits = 8192;
  constexpr int kRuns = 40;
  std::mt19937_64 random{7};
  double dropped = 0;
  double expected = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<bool> bits(kBits);
    double kept = 0;
    for (int key = 0; key < 2000; ++key) {
      bool changed = false;
      for (int probe = 0; probe < 5; ++probe) {
        auto bit = bits[random() % kBits];
        changed = changed || !bit;
        bit = true;
      }
      kept += changed ? 1 : 0;
    }
    dropped += 2000 - kept;
    const double fill = static_cast<double>(std::count(bits.begin(), bits.end(), true)) / kBits;
    expected += expected_wrongly_dropped(kept, 0,
                                         {.fill = fill,
                                          .estimated_keys = 0,
                                          .error_rate = std::pow(fill, 5),
                                          .verdict = Verdict::kOk});
  }
  EXPECT_NEAR(expected / dropped, 1.0, 0.1) << "expected " << expected << ", dropped " << dropped;
}

TEST(WronglyDropped, IsNothingForAnEmptyFilter) {
  EXPECT_EQ(expected_wrongly_dropped(
                0, 0, {.fill = 0, .estimated_keys = 0, .error_rate = 0, .verdict = Verdict::kOk}),
            0);
}

// Filters that grow: each key was asked from the layers of its time only.
TEST(WronglyDropped, EqualsWhatLayersDrop) {
  CreateOptions create;
  create.sizing.keys = 2000;
  create.sizing.rate = 0.05;
  for (const char* name : {"redisbloom", "bloomery"}) {
    create.layout = std::string_view{name} == "bloomery" ? Layout::kScalable : Layout::kAuto;
    auto filter = find_format(name)->create(create);
    ASSERT_TRUE(filter) << filter.error().message;
    const auto insert = [&](std::uint64_t first, std::uint64_t count) {
      std::vector<std::string> texts;
      for (std::uint64_t i = 0; i < count; ++i) texts.push_back("key " + std::to_string(first + i));
      std::vector<ByteView> keys;
      for (const std::string& text : texts) keys.push_back(bytes_of(text));
      std::vector<std::uint8_t> is_new(count);
      return static_cast<double>(*insert_batch(*filter, keys, is_new));
    };
    Description before = describe(*filter);
    for (const std::uint64_t first : {0, 50'000, 90'000}) {
      const double kept = insert(first, 40'000);
      const Description now = describe(*filter);
      const double expected = expected_collisions(kept, before, now);
      EXPECT_NEAR(expected / (40'000 - kept), 1.0, 0.15)
          << name << ": expected " << expected << ", dropped " << 40'000 - kept;
      before = now;
    }
    EXPECT_GT(before.layers.size(), 2U);
  }
}

TEST(InsertionSentence, SaysWhatWasAddedAndHowManyCollisionsToExpect) {
  Summary summary{.records = 100'000, .selected = 99'980, .seconds = 0.5, .filter = {}};
  summary.filter.health = Health{0.3, 100'000, 0.001, Verdict::kOk};
  EXPECT_EQ(
      insertion_sentence(summary, Description{}),
      "100,000 records added in 0.50 s (200,000/s); 20 were already present or collided (about "
      "17 collisions expected); fill 30 %, false positives 0.1 %");
  summary.selected = 99'999;
  EXPECT_NE(
      insertion_sentence(summary, Description{})
          .find("1 was already present or collided (about 17 collisions expected on average)"),
      std::string::npos);
  summary.skipped = 1;
  EXPECT_EQ(
      insertion_sentence(summary, std::nullopt),
      "99,999 records added in 0.50 s (200,000/s); 0 were already present or collided; 1 record "
      "without a key was skipped; fill 30 %, false positives 0.1 %");
  summary.filter.health = Health{1, 100'000, 1, Verdict::kSaturated};
  EXPECT_NE(insertion_sentence(summary, Description{}).find("the filter is saturated"),
            std::string::npos);
}

TEST(SummaryJson, CountsWhatWasSkippedApart) {
  Summary summary{.records = 10, .selected = 7, .seconds = 2, .filter = {}, .skipped = 2};
  const auto json = nlohmann::json::parse(summary_json(summary));
  EXPECT_EQ(json.at("dropped"), 1);
  EXPECT_EQ(json.at("skipped"), 2);
}

TEST(SummaryJson, HasTheContractsMembersInOrder) {
  Summary summary{.records = 10, .selected = 7, .seconds = 2, .filter = {}};
  summary.filter.bytes = 128;
  summary.filter.health =
      Health{.fill = 0.25, .estimated_keys = 7, .error_rate = 0.01, .verdict = Verdict::kOk};
  EXPECT_EQ(summary_json(summary),
            R"({"records":10,"selected":7,"dropped":3,"seconds":2.0,"records_per_second":5.0,)"
            R"("bytes":128,"fill":0.25,"estimated_fpr":0.01,"skipped":0})"
            "\n");
}

TEST(SummaryJson, SaysNullForWhatAFormatCannotKnow) {
  const auto json = nlohmann::json::parse(summary_json({}));
  EXPECT_TRUE(json.at("fill").is_null());
  EXPECT_TRUE(json.at("estimated_fpr").is_null());
}

}  // namespace
}  // namespace bloomery::cli
