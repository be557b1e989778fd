#include "apps/cli/filters/plan.h"

#include <gtest/gtest.h>

#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::gzip;
using ::bloomery::testing::TemporaryFile;
using ::bloomery::testing::zstd;

constexpr std::byte kNewline{'\n'};

RecordEstimate estimate(const std::string& bytes) {
  const TemporaryFile file{bytes};
  const auto inputs = find_inputs({file.path()});
  EXPECT_TRUE(inputs);
  const auto result = estimate_records(*inputs, kNewline);
  EXPECT_TRUE(result);
  return *result;
}

// Records of 10 to 50 bytes, longer towards the end: a sample of the beginning alone would mislead.
std::string uneven_lines(unsigned records) {
  std::string text;
  for (unsigned i = 0; i < records; ++i)
    text += std::string(9 + std::size_t{40} * i / records, 'x') + "\n";
  return text;
}

TEST(Estimate, CountsSmallFiles) {
  EXPECT_EQ(estimate("").records, 0U);
  EXPECT_EQ(estimate("a\nb\nc").records, 3U);
  EXPECT_EQ(estimate("a\nb\nc\n").records, 3U);
  EXPECT_TRUE(estimate("a\n").exact);
  EXPECT_EQ(estimate(gzip("a\nb\nc")).records, 3U);
  EXPECT_EQ(estimate(zstd("a\nb\nc")).records, 3U);
}

TEST(Estimate, SamplesLargeFilesInManyPlaces) {
  constexpr unsigned kRecords = 700'000;
  const RecordEstimate judged = estimate(uneven_lines(kRecords));
  EXPECT_FALSE(judged.exact);
  EXPECT_GE(judged.records, kRecords);
  EXPECT_LE(judged.records, kRecords * 1.12);
}

TEST(Estimate, ScalesTheBeginningOfACompressedFile) {
  std::string text;
  for (unsigned i = 0; i < 2'500'000; ++i)
    text += std::to_string(1'000'000'000 + i * 2654435761U % 1'000'000'000) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const RecordEstimate judged = estimate(packed);
    EXPECT_FALSE(judged.exact);
    EXPECT_GE(judged.records, 2'500'000U);
    EXPECT_LE(judged.records, 2'500'000U * 1.2);
  }
}

TEST(Estimate, AddsUpFiles) {
  const TemporaryFile one{"a\nb"};
  const TemporaryFile two{"c"};
  const auto inputs = find_inputs({one.path(), two.path()});
  ASSERT_TRUE(inputs);
  EXPECT_EQ(estimate_records(*inputs, kNewline)->records, 3U);
  EXPECT_EQ(count_records(*inputs, kNewline)->records, 3U);
}

TEST(CompleteSizing, JudgesKeysAndTakesOnePercent) {
  const TemporaryFile file{"a\nb\n"};
  auto inputs = find_inputs({file.path()});
  NewFilterOptions options;
  ASSERT_TRUE(complete_sizing(options, *inputs, kNewline));
  EXPECT_EQ(options.create.sizing.keys, 2U);
  EXPECT_EQ(options.create.sizing.rate, 0.01);
  EXPECT_EQ(options.create.layout, Layout::kAuto);
}

TEST(CompleteSizing, LetsAPipeGrowWhereTheFormatCan) {
  std::vector<InputFile> pipe{{"-", std::nullopt}};
  NewFilterOptions native;
  ASSERT_TRUE(complete_sizing(native, pipe, kNewline));
  EXPECT_EQ(native.create.layout, Layout::kScalable);
  EXPECT_EQ(native.create.sizing.keys, 1'000'000U);

  NewFilterOptions redis;
  redis.format = "redisbloom";
  EXPECT_TRUE(complete_sizing(redis, pipe, kNewline));

  NewFilterOptions cuckoo;
  cuckoo.format = "rediscuckoo";
  EXPECT_TRUE(complete_sizing(cuckoo, pipe, kNewline));
  EXPECT_FALSE(cuckoo.create.sizing.rate);  // it has the one its fingerprints give
  cuckoo.create.sizing.keys.reset();
  cuckoo.create.expansion = 0;
  EXPECT_FALSE(complete_sizing(cuckoo, pipe, kNewline));

  NewFilterOptions guava;
  guava.format = "guava";
  EXPECT_FALSE(complete_sizing(guava, pipe, kNewline));
  guava.create.sizing.keys = 5;
  EXPECT_TRUE(complete_sizing(guava, pipe, kNewline));

  NewFilterOptions counting;
  counting.create.layout = Layout::kCounting;
  EXPECT_FALSE(complete_sizing(counting, pipe, kNewline));

  NewFilterOptions seeded;
  seeded.create.seeded = true;
  EXPECT_FALSE(complete_sizing(seeded, pipe, kNewline));
  seeded.create.sizing.keys = 5;
  EXPECT_TRUE(complete_sizing(seeded, pipe, kNewline));
}

TEST(CompleteSizing, BitsPerKeyTakeThePlaceOfTheRate) {
  const TemporaryFile file{"a\nb\n"};
  auto inputs = find_inputs({file.path()});
  NewFilterOptions options;
  options.create.sizing.bits_per_key = 12;
  ASSERT_TRUE(complete_sizing(options, *inputs, kNewline));
  EXPECT_EQ(options.create.sizing.keys, 2U);
  EXPECT_FALSE(options.create.sizing.rate);
}

TEST(CompleteSizing, LeavesAnExplicitShapeAlone) {
  std::vector<InputFile> pipe{{"-", std::nullopt}};
  NewFilterOptions options;
  options.create.sizing.bits = 4096;
  ASSERT_TRUE(complete_sizing(options, pipe, kNewline));
  EXPECT_FALSE(options.create.sizing.keys);
  EXPECT_FALSE(options.create.sizing.rate);
}

TEST(FindInputs, NamesWhatIsMissingOrAFolder) {
  EXPECT_EQ(find_inputs({"/nonexistent"}).error().message,
            "/nonexistent: cannot read: No such file or directory");
  EXPECT_EQ(find_inputs({"/tmp"}).error().message, "/tmp: cannot read: Is a directory");
}

}  // namespace
}  // namespace bloomery::cli
