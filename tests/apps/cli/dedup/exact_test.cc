#include "apps/cli/dedup/exact.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <unordered_set>

#include "apps/cli/dedup/output.h"
#include "bloomery/hash/xxh.h"
#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

// A filter that is full at once: everything is suspected.
SeenKeys tiny_filter(std::uint64_t bits) {
  CreateOptions create;
  create.sizing.bits = bits;
  create.sizing.probes = 2;
  return SeenKeys{*find_format("bloomery")->create(create), find_format("bloomery"), {}};
}

std::uint64_t four_bits(ByteView key) { return xxh3_64(key) & 15; }
std::uint64_t all_alike(ByteView) { return 0; }

struct Setting {
  std::uint64_t filter_bits = 1 << 16;
  Fingerprint fingerprint = fingerprint_of;
  std::size_t pending_bytes = 0;
  std::uint32_t threads = 1;
  RecordOptions records = {};
  ExactTotals totals = {};
};

std::string exactly(const std::vector<std::string>& paths, Setting& setting) {
  Globals globals;
  globals.progress = When::kNever;
  globals.threads = setting.threads;
  const auto replay = Replay::open(*find_inputs(paths), setting.records.delimiter);
  EXPECT_TRUE(replay);
  SeenKeys seen = tiny_filter(setting.filter_bits);
  std::string out;
  ReplayJob job{.replay = &*replay,
                .keys = {setting.records, ByteOrder::kLittle},
                .seen = &seen,
                .print =
                    [&](Chunk& chunk) {
                      out += text_of(gather_records(chunk, true));
                      return ok();
                    },
                .fingerprint = setting.fingerprint};
  const auto totals = dedup_exactly(job, globals, setting.pending_bytes);
  EXPECT_TRUE(totals) << totals.error().message;
  if (totals) setting.totals = *totals;
  return out;
}

// What a set of all records prints.
std::string by_a_set(const std::string& text) {
  std::unordered_set<std::string> seen;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string record = text.substr(begin, end - begin);
    if (seen.insert(record).second) out += record + "\n";
    begin = end + 1;
  }
  return out;
}

std::string random_text(std::mt19937_64& random, std::size_t records, std::uint64_t distinct,
                        std::size_t longest) {
  std::string text;
  for (std::size_t i = 0; i < records; ++i) {
    const std::uint64_t number = random() % distinct;
    std::string record(number * 7919 % (longest + 1), static_cast<char>('a' + number % 26));
    record += std::to_string(number);
    record += static_cast<char>(number % 7 == 0 ? '\0' : '\xff');
    text += record + "\n";
  }
  if (random() % 2 == 0) text.pop_back();
  return text;
}

TEST(DedupExactly, EqualsASetWhateverTheFingerprintsAndTheFilter) {
  std::mt19937_64 random{11};
  for (const Fingerprint fingerprint : {&fingerprint_of, &four_bits, &all_alike})
    for (const std::uint64_t filter_bits : {64ULL, 1ULL << 16})
      for (const std::uint64_t distinct : {1ULL, 30ULL, 3000ULL, 1ULL << 60})
        for (const std::uint32_t threads : {1U, 2U, 3U}) {
          const std::string text = random_text(random, 3000, distinct, distinct == 30 ? 3000 : 40);
          const TemporaryFile file{text};
          Setting setting{filter_bits, fingerprint, 4096, threads, {}, {}};
          EXPECT_TRUE(exactly({file.path()}, setting) == by_a_set(text))
              << filter_bits << " bits, " << distinct << " distinct, " << threads << " threads";
          EXPECT_EQ(setting.totals.records, 3000U);
        }
}

TEST(DedupExactly, CountsWhatItSuspectedAndWhatItKept) {
  const TemporaryFile file{"a\nb\na\na\nc\n"};
  Setting setting;
  EXPECT_EQ(exactly({file.path()}, setting), "a\nb\nc\n");
  EXPECT_EQ(setting.totals.kept, 3U);
  EXPECT_EQ(setting.totals.suspects, 2U);
}

TEST(DedupExactly, ComparesKeysAndPrintsRecords) {
  const TemporaryFile file{"1\tx\n2\tx\n3\ty\n4\tx\n5\tz"};
  Setting setting;
  setting.fingerprint = all_alike;
  setting.filter_bits = 64;
  setting.records.fields = {{2, 2}};
  EXPECT_EQ(exactly({file.path()}, setting), "1\tx\n3\ty\n5\tz\n");
}

// Lines that come twice, the second time in another order, so that a wrong answer would show.
std::string numbers(std::size_t first, std::size_t step) {
  std::string text;
  for (std::size_t i = 0; i < 600'000; ++i)
    text += std::to_string(100'000 + (first + i * step) % 300'000) + "\n";
  return text;
}

TEST(DedupExactly, EndsWithAnErrorWhenTheInputIsRewrittenInPlace) {
  for (const std::uint32_t threads : {1U, 2U}) {
    const TemporaryFile file{numbers(0, 1)};
    const auto replay = Replay::open(*find_inputs({file.path()}), std::byte{'\n'});
    Globals globals;
    globals.progress = When::kNever;
    globals.threads = threads;
    SeenKeys seen = tiny_filter(1 << 20);
    bool is_rewritten = false;
    ReplayJob job{
        .replay = &*replay, .keys = {{}, ByteOrder::kLittle}, .seen = &seen, .print = [&](Chunk&) {
          if (!std::exchange(is_rewritten, true))
            std::fstream{file.path(), std::ios::in | std::ios::out} << numbers(7, 3);
          return ok();
        }};
    const auto totals = dedup_exactly(job, globals);
    ASSERT_FALSE(totals);
    EXPECT_EQ(totals.error().code, ErrorCode::kIo);
    EXPECT_NE(totals.error().message.find("the file changed while it was read"), std::string::npos)
        << totals.error().message;
  }
}

TEST(DedupExactly, ReadsSeveralFilesPlainAndCompressed) {
  // Without a last newline, and the first of a record in another file than its repeat.
  const TemporaryFile plain{"one\ntwo"};
  const TemporaryFile packed{::bloomery::testing::gzip("two\nthree\none")};
  const TemporaryFile empty{""};
  for (const Fingerprint fingerprint : {&fingerprint_of, &all_alike}) {
    Setting setting;
    setting.filter_bits = 64;
    setting.fingerprint = fingerprint;
    EXPECT_EQ(exactly({plain.path(), packed.path(), empty.path(), plain.path()}, setting),
              "one\ntwo\nthree\n");
  }
}

}  // namespace
}  // namespace bloomery::cli
