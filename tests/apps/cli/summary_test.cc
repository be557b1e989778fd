#include "apps/cli/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "bloomery/filter/bit_array.h"

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

TEST(SummaryJson, HasTheContractsMembersInOrder) {
  Summary summary{.records = 10, .selected = 7, .seconds = 2, .filter = {}};
  summary.filter.bytes = 128;
  summary.filter.health =
      Health{.fill = 0.25, .estimated_keys = 7, .error_rate = 0.01, .verdict = Verdict::kOk};
  EXPECT_EQ(summary_json(summary),
            R"({"records":10,"selected":7,"dropped":3,"seconds":2.0,"records_per_second":5.0,)"
            R"("bytes":128,"fill":0.25,"estimated_fpr":0.01})"
            "\n");
}

TEST(SummaryJson, SaysNullForWhatAFormatCannotKnow) {
  const auto json = nlohmann::json::parse(summary_json({}));
  EXPECT_TRUE(json.at("fill").is_null());
  EXPECT_TRUE(json.at("estimated_fpr").is_null());
}

}  // namespace
}  // namespace bloomery::cli
