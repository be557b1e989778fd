#include "bloomery/funnel/text_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/funnel/hex.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

Result<std::string> encoded(FunnelName funnel, std::string_view record,
                            ByteOrder order = ByteOrder::kLittle) {
  ByteSink sink{order};
  if (auto status = put_text_key(funnel, record, sink); !status) return status.error();
  return hex(sink.bytes());
}

void expect_encoded(FunnelName funnel, std::string_view record, const std::string& expected,
                    ByteOrder order = ByteOrder::kLittle) {
  const auto bytes = encoded(funnel, record, order);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, expected) << record;
}

void expect_refused(FunnelName funnel, std::string_view record, const std::string& reason) {
  const auto bytes = encoded(funnel, record);
  ASSERT_FALSE(bytes) << funnel_name(funnel) << " took " << record << " as " << *bytes;
  EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(bytes.error().message, HasSubstr(reason)) << record;
}

TEST(TextKey, ReadsNumbersIntoTheBytesOfTheGoldenTable) {
  const auto golden = nlohmann::json::parse(std::ifstream{BLOOMERY_GOLDEN_DIR "/funnels.json"});
  std::size_t checked = 0;
  for (const auto& row : golden["rows"]) {
    const auto funnel = find_funnel(row[0].get<std::string>());
    if (!funnel || *funnel == FunnelName::kBytes) continue;
    expect_encoded(*funnel, row[1].get<std::string>(), row[2].get<std::string>());
    ++checked;
  }
  EXPECT_EQ(checked, 42u);
}

TEST(TextKey, FollowsTheByteOrderOfTheSink) {
  expect_encoded(FunnelName::kI16, "-2", "fffe", ByteOrder::kBig);
  expect_encoded(FunnelName::kI32, "123", "0000007b", ByteOrder::kBig);
  expect_encoded(FunnelName::kU64, "18446744073709551615", "ffffffffffffffff", ByteOrder::kBig);
  expect_encoded(FunnelName::kF64, "1", "3ff0000000000000", ByteOrder::kBig);
  expect_encoded(FunnelName::kUtf16, "a\xe4\xb8\xad", "00614e2d", ByteOrder::kBig);
  expect_encoded(FunnelName::kBytes, "ab", "6162", ByteOrder::kBig);
}

TEST(TextKey, TakesTheLimitsOfEachTypeAndNotOneMore) {
  expect_encoded(FunnelName::kI8, "-128", "80");
  expect_refused(FunnelName::kI8, "128", "out of its range");
  expect_refused(FunnelName::kI16, "-32769", "out of its range");
  expect_refused(FunnelName::kI32, "2147483648", "out of its range");
  expect_refused(FunnelName::kI64, "9223372036854775808", "out of its range");
  expect_encoded(FunnelName::kU64, "18446744073709551615", "ffffffffffffffff");
  expect_refused(FunnelName::kU64, "18446744073709551616", "out of its range");
  expect_refused(FunnelName::kF32, "1e39", "out of its range");
  expect_refused(FunnelName::kF64, "1e309", "out of its range");
  expect_refused(FunnelName::kF64, "1e-400", "out of its range");
}

TEST(TextKey, RefusesWhatIsNotWhollyANumber) {
  for (const std::string_view record :
       {"", " 1", "1 ", "+1", "0x10", "1,2", "one", "--1", "1\n", "9999999999x"})
    for (const FunnelName funnel :
         {FunnelName::kI32, FunnelName::kU64, FunnelName::kF32, FunnelName::kF64})
      expect_refused(funnel, record, "is not a decimal number");
  expect_refused(FunnelName::kU64, "-1", "is not a decimal number");
  expect_refused(FunnelName::kI32, "1.0", "is not a decimal number");
  expect_refused(FunnelName::kI32, "1e3", "is not a decimal number");
  expect_refused(FunnelName::kI32, std::string_view{"1\0", 2}, "is not a decimal number");
  for (const std::string_view record : {"inf", "-inf", "nan", "nan(1)", "infinity"})
    expect_refused(FunnelName::kF64, record, "is not a decimal number");
}

TEST(TextKey, NamesTheFunnelAndQuotesTheRecordInItsError) {
  expect_refused(FunnelName::kI16, "70000",
                 "\"70000\" is not a key of the funnel i16: it is out of its range");
  const auto refused = encoded(FunnelName::kI16, std::string(100'000, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().message.size(), 200u);
}

TEST(TextKey, ReadsFourWordsAsABool) {
  expect_encoded(FunnelName::kBool, "true", "01");
  expect_encoded(FunnelName::kBool, "1", "01");
  expect_encoded(FunnelName::kBool, "false", "00");
  expect_encoded(FunnelName::kBool, "0", "00");
  for (const std::string_view record : {"", "True", "yes", "2", "true "})
    expect_refused(FunnelName::kBool, record, "none of true, false, 1 and 0");
}

TEST(TextKey, ReadsUtf8IntoCodeUnits) {
  expect_encoded(FunnelName::kUtf16, "", "");
  expect_encoded(FunnelName::kUtf16, "a\x7f", "61007f00");
  expect_encoded(FunnelName::kUtf16, "\xc2\x80\xdf\xbf", "8000ff07");
  expect_encoded(FunnelName::kUtf16, "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
                 "0008ffd700e0ffff");
  expect_encoded(FunnelName::kUtf16, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "00d800dcffdbffdf");
}

TEST(TextKey, NamesTheByteWhereUtf8IsInvalid) {
  const std::pair<std::string_view, std::string> kCases[] = {
      {"\x80", "at byte 0 of 1"},                  // a continuation alone
      {"ab\xff", "at byte 2 of 3"},                // no UTF-8 byte
      {"a\xc0\x80", "at byte 1 of 3"},             // overlong NUL
      {"\xc1\xbf", "at byte 0 of 2"},              // overlong
      {"\xe0\x9f\xbf", "at byte 0 of 3"},          // overlong
      {"\xf0\x8f\xbf\xbf", "at byte 0 of 4"},      // overlong
      {"\xed\xa0\x80", "at byte 0 of 3"},          // a surrogate
      {"\xed\xbf\xbf", "at byte 0 of 3"},          // a surrogate
      {"\xf4\x90\x80\x80", "at byte 0 of 4"},      // past the last code point
      {"\xf8\x88\x80\x80\x80", "at byte 0 of 5"},  // five bytes
      {"\xc3\xa4\xc3", "at byte 2 of 3"},          // cut short
      {"\xe4\xb8", "at byte 0 of 2"},              // cut short
      {"\xf0\x9f\x8c", "at byte 0 of 3"},          // cut short
      {"\xc3(", "at byte 0 of 2"},                 // no continuation
      {"\xb4\x80\x80\x80", "at byte 0 of 4"},      // continuations alone
      {"\xf9\x80\x80\x80", "at byte 0 of 4"},      // no UTF-8 byte
  };
  for (const auto& [record, reason] : kCases) expect_refused(FunnelName::kUtf16, record, reason);
}

TEST(TextKey, RefusesAFunnelThatOnlyItsProgramKnows) {
  expect_refused(FunnelName::kUser, "x", "number 65535");
  expect_refused(FunnelName{77}, "x", "number 77");
}

}  // namespace
}  // namespace bloomery
