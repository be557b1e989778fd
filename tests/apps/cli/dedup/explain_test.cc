#include "apps/cli/dedup/explain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "apps/cli/dedup/repeat_table.h"
#include "tests/apps/cli/temporary_file.h"
#include "tests/formats/parquet/make_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

std::string random_lines(std::size_t count) {
  std::mt19937_64 random{9};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(random()) + "\n";
  return text;
}

SeenKeysOptions planned(std::uint64_t keys, double rate) {
  SeenKeysOptions options;
  options.filter.create.sizing.keys = keys;
  options.filter.create.sizing.rate = rate;
  options.filter.create.layout = Layout::kBlock;
  return options;
}

SeenKeys make(const SeenKeysOptions& options) {
  const Format* format = find_format("bloomery");
  AnyFilter filter = *format->create(options.filter.create);
  Description opened = describe(filter);
  return SeenKeys{std::move(filter), format, {}, std::move(opened)};
}

std::vector<ByteView> lines_of(const std::string& text) {
  std::vector<ByteView> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(bytes_of(std::string_view{text}.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

double wrong_drops(SeenKeys& seen, std::span<const ByteView> different_keys) {
  std::vector<std::uint8_t> is_new(different_keys.size());
  return static_cast<double>(different_keys.size() - *seen.take(different_keys, is_new));
}

TEST(Explain, ExpectsTheWrongDropsThatARunHas) {
  constexpr std::size_t kRecords = 400'000;
  const std::string text = random_lines(kRecords);
  const std::vector<ByteView> keys = lines_of(text);
  for (const double rate : {0.01, 0.001}) {
    SeenKeys seen = make(planned(kRecords, rate));
    const double expected = planned_wrong_drops(seen.opened(), kRecords);
    EXPECT_NEAR(wrong_drops(seen, keys), expected, 0.3 * expected + 10) << rate;
  }
}

TEST(Explain, ExpectsTheWrongDropsOfAFilterWithFarTooManyKeys) {
  const std::string text = random_lines(200'000);
  for (const std::uint64_t planned_keys : {100'000U, 50'000U, 20'000U}) {
    SeenKeys seen = make(planned(planned_keys, 1e-4));
    const double expected = planned_wrong_drops(seen.opened(), 200'000);
    EXPECT_NEAR(wrong_drops(seen, lines_of(text)), expected, 0.3 * expected + 10) << planned_keys;
  }
  EXPECT_LE(planned_wrong_drops(make(planned(10, 1e-4)).opened(), 200'000), 200'000);
}

// Nearly empty, with several layers, and with the layers of an earlier run.
TEST(Explain, ExpectsTheWrongDropsOfLayers) {
  const std::string text = random_lines(500'000);
  const std::vector<ByteView> keys = lines_of(text);
  SeenKeysOptions options = planned(1'000'000, 1e-4);
  options.filter.create.layout = Layout::kScalable;
  EXPECT_LT(planned_wrong_drops(make(options).opened(), 200'000), 0.1);
  options.filter.create.sizing.keys = 50'000;
  options.filter.create.sizing.rate = 0.01;
  SeenKeys seen = make(options);
  const double first = planned_wrong_drops(seen.opened(), 300'000);
  EXPECT_NEAR(wrong_drops(seen, std::span{keys}.first(300'000)), first, 0.3 * first + 10);
  const double more = planned_wrong_drops(describe(seen.filter()), 200'000);
  EXPECT_NEAR(wrong_drops(seen, std::span{keys}.subspan(300'000)), more, 0.3 * more + 10);
}

TEST(Explain, SuggestsARateWhoseFilterIsHalfAsLarge) {
  const TemporaryFile file{random_lines(50'000)};
  const auto inputs = *find_inputs({file.path()});
  const SeenKeysOptions options = planned(50'000, 1e-4);
  SeenKeys seen = make(options);
  Globals globals;
  const auto all = explain_dedup(
      {.inputs = &inputs, .keys = {{}, ByteOrder::kLittle}, .seen = &seen, .options = &options},
      globals);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->records, 50'000U);
  EXPECT_TRUE(all->records_are_counted);
  EXPECT_GT(all->seconds, 0);
  ASSERT_TRUE(all->half_memory.bytes);
  EXPECT_NEAR(static_cast<double>(*all->half_memory.bytes), static_cast<double>(all->bytes) / 2,
              static_cast<double>(all->bytes) * 0.03);
  ASSERT_TRUE(all->half_memory.option.starts_with("-p "));
  const double rate = std::stod(all->half_memory.option.substr(3));
  const SeenKeys smaller = make(planned(50'000, rate));
  EXPECT_LE(static_cast<double>(smaller.opened().bytes), static_cast<double>(all->bytes) * 0.52);
  EXPECT_EQ(all->half_wrong_drops.option, "-p 5e-05");
  EXPECT_NE(explanation_text(*all, globals).find("to halve the memory  -p "), std::string::npos);
}

TEST(Explain, AdvisesMoreKeysWhereTheInputHasMore) {
  const TemporaryFile file{random_lines(50'000)};
  const auto inputs = *find_inputs({file.path()});
  const SeenKeysOptions options = planned(1000, 1e-4);
  SeenKeys seen = make(options);
  const auto all = explain_dedup(
      {.inputs = &inputs, .keys = {{}, ByteOrder::kLittle}, .seen = &seen, .options = &options},
      {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_LE(all->wrong_drops, 50'000);
  EXPECT_LE(all->half_memory.wrong_drops.value_or(0), 50'000);
  EXPECT_EQ(all->half_wrong_drops.option, "-n 50000");
  const SeenKeys enough = make(planned(50'000, 1e-4));
  EXPECT_NEAR(all->half_wrong_drops.wrong_drops.value_or(0),
              planned_wrong_drops(enough.opened(), 50'000), 0.1);
}

TEST(Explain, SaysWhatTheRepeatedKeysTake) {
  const std::string lines = random_lines(50'000);
  const TemporaryFile file{lines + lines};
  const auto inputs = *find_inputs({file.path()});
  const SeenKeysOptions options = planned(100'000, 0.01);
  RepeatTable table{UINT64_MAX};
  for (std::uint64_t i = 1; i <= 50'000; ++i) ASSERT_TRUE(table.put(i * 0x9e3779b97f4a7c15));
  for (const RepeatsKept kept : {RepeatsKept::kLast, RepeatsKept::kCounts, RepeatsKept::kPlaces}) {
    SeenKeys seen = make(options);
    const auto all = explain_dedup({.inputs = &inputs,
                                    .keys = {{}, ByteOrder::kLittle},
                                    .seen = &seen,
                                    .options = &options,
                                    .table = kept},
                                   {});
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->wrong_drops, 0);
    EXPECT_EQ(all->readings, kept == RepeatsKept::kPlaces ? 3U : 2U);
    if (kept == RepeatsKept::kPlaces) {
      EXPECT_GT(all->table_bytes, 50'000U * 16);
    } else {
      EXPECT_GE(all->table_bytes, table.bytes());
    }
    EXPECT_LT(all->table_bytes, 4 * table.bytes());
    EXPECT_NE(explanation_text(*all, {}).find("for the repeated keys"), std::string::npos);
  }
}

TEST(Explain, EstimatesTheTimeOfAColumn) {
  ::bloomery::testing::MadeFile parquet;
  std::mt19937_64 random{9};
  constexpr int kPages = 80;
  constexpr int kValues = 50'000;  // their text is more than the sample
  for (int i = 0; i < kPages; ++i) {
    ::bloomery::testing::MadePage page{.entries = kValues};
    page.bytes.resize(kValues * sizeof(std::uint64_t));
    for (std::size_t at = 0; at < page.bytes.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t value = random();
      std::memcpy(page.bytes.data() + at, &value, sizeof value);
    }
    parquet.pages.push_back(std::move(page));
  }
  parquet.rows = std::int64_t{kPages} * kValues;
  const auto bytes = parquet.bytes();
  const TemporaryFile file{std::string{text_of(bytes)}};
  RecordOptions records;
  records.input.column = "id";
  const auto inputs = *find_inputs({file.path()}, records);
  const SeenKeysOptions options = planned(kPages * kValues, 1e-4);
  SeenKeys seen = make(options);
  const auto all = explain_dedup({.inputs = &inputs,
                                  .keys = {records, ByteOrder::kLittle},
                                  .seen = &seen,
                                  .options = &options},
                                 {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->records, std::uint64_t{kPages} * kValues);
  EXPECT_GT(all->sample_bytes, 1000U);
  EXPECT_LT(all->seconds, 120);
}

TEST(Explain, RefusesAPipe) {
  const std::vector<InputFile> inputs{{"-", std::nullopt}};
  const SeenKeysOptions options = planned(10, 0.01);
  SeenKeys seen = make(options);
  EXPECT_FALSE(explain_dedup(
      {.inputs = &inputs, .keys = {{}, ByteOrder::kLittle}, .seen = &seen, .options = &options},
      {}));
}

}  // namespace
}  // namespace bloomery::cli
