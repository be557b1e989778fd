#include "apps/cli/dedup/tally.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "apps/cli/dedup/output.h"
#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

SeenKeys filter_of_bits(std::uint64_t bits) {
  CreateOptions create;
  create.sizing.bits = bits;
  create.sizing.probes = 2;
  return SeenKeys{*find_format("bloomery")->create(create), find_format("bloomery"), {}};
}

struct TallySetting {
  Tally kind = Tally::kLast;
  std::uint64_t filter_bits = 1 << 16;
  std::uint32_t threads = 1;
  bool only_repeated = false;
  RecordOptions records = {};
};

std::string tallied(const std::string& path, const TallySetting& setting, TallyTotals& totals) {
  Globals globals;
  globals.progress = When::kNever;
  globals.threads = setting.threads;
  const auto replay = Replay::open(*find_inputs({path}), setting.records.delimiter);
  EXPECT_TRUE(replay);
  SeenKeys seen = filter_of_bits(setting.filter_bits);
  std::string out;
  ReplayJob job{.replay = &*replay, .keys = {setting.records, ByteOrder::kLittle}, .seen = &seen};
  job.print = [&](Chunk& chunk) {
    if (setting.kind == Tally::kLast) {
      out += text_of(gather_records(chunk, true));
    } else {
      std::vector<std::byte> numbered;
      number_records(chunk, numbered);
      out += text_of(numbered);
    }
    return ok();
  };
  const auto done = tally_records(job, {setting.kind, setting.only_repeated}, globals);
  EXPECT_TRUE(done) << done.error().message;
  if (done) totals = *done;
  return out;
}

std::vector<std::string> random_records(std::mt19937_64& random, std::size_t count,
                                        std::uint64_t distinct) {
  std::vector<std::string> records;
  for (std::size_t i = 0; i < count; ++i) records.push_back(std::to_string(random() % distinct));
  return records;
}
std::string joined(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text += record + "\n";
  return text;
}

// A filter that is full at once takes every record for a repeat, and costs nothing but time.
TEST(TallyRecords, KeepsTheLastAsAMapDoesWhateverTheFilter) {
  std::mt19937_64 random{3};
  for (const std::uint64_t bits : {64ULL, 1ULL << 18})
    for (const std::uint64_t distinct : {1ULL, 40ULL, 5000ULL, 1ULL << 60})
      for (const std::uint32_t threads : {1U, 2U, 3U}) {
        const auto records = random_records(random, 20'000, distinct);
        std::map<std::string, std::size_t> last;
        for (std::size_t i = 0; i < records.size(); ++i) last[records[i]] = i;
        std::vector<std::string> wanted;
        for (std::size_t i = 0; i < records.size(); ++i)
          if (last[records[i]] == i) wanted.push_back(records[i]);
        const TemporaryFile file{joined(records)};
        TallyTotals totals;
        EXPECT_TRUE(tallied(file.path(), {Tally::kLast, bits, threads}, totals) == joined(wanted))
            << bits << " bits, " << distinct << " distinct, " << threads << " threads";
        EXPECT_EQ(totals.kept, wanted.size());
        EXPECT_EQ(totals.records, records.size());
      }
}

TEST(TallyRecords, CountsAsAMapDoesWhateverTheFilter) {
  std::mt19937_64 random{4};
  for (const std::uint64_t bits : {64ULL, 1ULL << 18})
    for (const std::uint64_t distinct : {1ULL, 40ULL, 5000ULL, 1ULL << 60})
      for (const bool only_repeated : {false, true}) {
        const auto records = random_records(random, 20'000, distinct);
        std::map<std::string, std::uint64_t> counts;
        for (const std::string& record : records) ++counts[record];
        std::vector<std::string> wanted;
        for (const std::string& record : records) {
          std::uint64_t& count = counts[record];
          if (count > (only_repeated ? 1U : 0U))
            wanted.push_back(std::to_string(count) + "\t" + record);
          count = 0;
        }
        const TemporaryFile file{joined(records)};
        TallyTotals totals;
        EXPECT_TRUE(tallied(file.path(), {Tally::kCounts, bits, 2, only_repeated}, totals) ==
                    joined(wanted))
            << bits << " bits, " << distinct << " distinct";
        EXPECT_EQ(totals.kept, wanted.size());
      }
}

TEST(TallyRecords, PrintsEveryRecordWithoutAKey) {
  RecordOptions options;
  options.fields = {{2, 2}};
  options.missing = MissingKey::kSkip;
  options.prints_without_key = true;
  const TemporaryFile file{"1\tx\nnone\n2\tx\nnone\n3\ty\n"};
  TallyTotals totals;
  EXPECT_EQ(tallied(file.path(), {Tally::kLast, 1 << 16, 1, false, options}, totals),
            "none\n2\tx\nnone\n3\ty\n");
  EXPECT_EQ(totals.skipped, 2U);
  EXPECT_EQ(tallied(file.path(), {Tally::kCounts, 1 << 16, 1, false, options}, totals),
            "2\t1\tx\n1\tnone\n1\tnone\n1\t3\ty\n");
}

}  // namespace
}  // namespace bloomery::cli
