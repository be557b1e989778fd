#include "apps/cli/dedup/explain.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/apps/cli/temporary_file.h"

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

TEST(Explain, ExpectsTheWrongDropsThatARunHas) {
  constexpr std::size_t kRecords = 400'000;
  const std::string text = random_lines(kRecords);
  for (const double rate : {0.01, 0.001}) {
    const SeenKeysOptions options = planned(kRecords, rate);
    SeenKeys seen = make(options);
    const double expected = planned_wrong_drops(seen.opened(), kRecords);
    std::vector<ByteView> keys;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      keys.push_back(bytes_of(std::string_view{text}.substr(begin, end - begin)));
      begin = end + 1;
    }
    std::vector<std::uint8_t> is_new(keys.size());
    const auto taken = seen.take(keys, is_new);
    ASSERT_TRUE(taken);
    const double found = static_cast<double>(kRecords - *taken);
    EXPECT_NEAR(found, expected, 0.3 * expected + 10) << rate;
  }
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
