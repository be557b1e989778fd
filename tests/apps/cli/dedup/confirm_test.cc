#include "apps/cli/dedup/confirm.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/apps/cli/temporary_file.h"

namespace bloomery::cli {
namespace {

using ::bloomery::testing::TemporaryFile;

constexpr std::byte kNewline{'\n'};

TEST(RecordWindow, FindsRecordsHoweverLittleItReadsAtATime) {
  const TemporaryFile first{"one\n\na longer record than the window\nlast"};
  const TemporaryFile second{"x\n"};
  const auto replay = Replay::open(*find_inputs({first.path(), second.path()}), kNewline);
  for (const std::size_t ahead : {1, 5, 1000}) {
    RecordWindow window{*replay, kNewline};
    window.read_ahead(ahead);
    const auto at = [&](std::uint64_t place) { return text_of(*window.record_at(place)); };
    EXPECT_EQ(at(0), "one");
    EXPECT_EQ(at(5), "a longer record than the window");
    EXPECT_EQ(at(4), "");
    EXPECT_EQ(at(37), "last") << "which ends with its file";
    EXPECT_EQ(at(41), "x");
    EXPECT_EQ(at(0), "one");
  }
}

// Suspects whose first lies at 0 and reads "one".
std::vector<std::uint64_t> cleared(const std::vector<std::string>& keys, std::size_t budget) {
  const TemporaryFile file{"one\ntwo\n"};
  const auto replay = Replay::open(*find_inputs({file.path()}), kNewline);
  Confirmation confirmation{*replay, {RecordOptions{}, ByteOrder::kLittle}, budget};
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_TRUE(confirmation.add({0, i}, bytes_of(keys[i])));
  EXPECT_TRUE(confirmation.finish());
  return confirmation.cleared();
}

TEST(Confirmation, ClearsTheFirstOfEveryStrangerOnly) {
  const std::vector<std::string> keys{"one", "on", "other", "one", "on", "one!", "other", ""};
  for (const std::size_t budget : {1, 100, 10'000})
    EXPECT_EQ(cleared(keys, budget), (std::vector<std::uint64_t>{1, 2, 5, 7})) << budget;
}

TEST(Confirmation, DoesNotCompareWithBytesThatChanged) {
  const TemporaryFile file{"one\ntwo\n"};
  const auto replay = Replay::open(*find_inputs({file.path()}), kNewline);
  RecordWindow first_reading{*replay, kNewline};
  ASSERT_TRUE(first_reading.record_at(0));
  std::fstream{file.path(), std::ios::in | std::ios::out} << "two\none\n";
  Confirmation confirmation{*replay, {RecordOptions{}, ByteOrder::kLittle}, 1000};
  ASSERT_TRUE(confirmation.add({0, 1}, bytes_of("one")));
  const auto compared = confirmation.finish();
  ASSERT_FALSE(compared);
  EXPECT_NE(compared.error().message.find("changed while it was read"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::cli
