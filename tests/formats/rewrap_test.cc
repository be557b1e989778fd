#include "bloomery/formats/rewrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

AnyFilter made(std::string_view format, SizingRequest sizing, Layout layout = Layout::kClassic) {
  CreateOptions options;
  options.sizing = sizing;
  options.layout = layout;
  auto filter = find_format(format)->create(options);
  EXPECT_TRUE(filter) << filter.error().message;
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(i));
  const std::vector<ByteView> keys = [&] {
    std::vector<ByteView> views;
    for (const std::string& text : texts) views.push_back(bytes_of(text));
    return views;
  }();
  std::vector<std::uint8_t> is_new(keys.size());
  EXPECT_TRUE(insert_batch(*filter, keys, is_new));
  return std::move(*filter);
}

std::vector<std::uint8_t> answers(const AnyFilter& filter) {
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i) texts.push_back(std::to_string(i));
  std::vector<ByteView> keys;
  for (const std::string& text : texts) keys.push_back(bytes_of(text));
  std::vector<std::uint8_t> found(keys.size());
  EXPECT_TRUE(may_contain_batch(filter, keys, found));
  return found;
}

// The same answers, false positives included, through the bytes of the other format.
void expect_rewrapped(const AnyFilter& filter, std::string_view to, SizingRequest reading = {}) {
  SCOPED_TRACE(to);
  const auto bytes = rewrap(filter, *find_format(to));
  ASSERT_TRUE(bytes) << bytes.error().message;
  DecodeOptions options;
  options.sizing = reading;
  const auto decoded = find_format(to)->decode(*bytes, options);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(answers(filter), answers(*decoded));
}

void expect_refused(const AnyFilter& filter, std::string_view to) {
  const auto bytes = rewrap(filter, *find_format(to));
  ASSERT_FALSE(bytes) << to;
  EXPECT_EQ(bytes.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(bytes.error().message, HasSubstr(std::string{to}));
  EXPECT_THAT(bytes.error().message, HasSubstr("does not keep its keys"));
}

constexpr SizingRequest kHundred{.keys = 100, .rate = 0.01};

TEST(Rewrap, BitsAndBloomsBecomesItsJsonAndBack) {
  const AnyFilter filter = made("bits-and-blooms", kHundred);
  expect_rewrapped(filter, "bits-and-blooms:json");
  expect_rewrapped(made("bits-and-blooms:json", kHundred), "bits-and-blooms");
}

TEST(Rewrap, ALevelDbFilterBecomesABlockAndBack) {
  const AnyFilter filter = made("leveldb", {.keys = 100, .bits_per_key = 10});
  expect_rewrapped(filter, "leveldb:block");
  expect_rewrapped(made("leveldb:block", {.keys = 100, .bits_per_key = 10}), "leveldb");
}

TEST(Rewrap, GuavaAndTheDesignThatTookItsRuleShareBits) {
  const AnyFilter filter = made("guava", kHundred);
  const Description description = describe(filter);
  expect_rewrapped(filter, "eventhorizon:x64",
                   {.bits = description.bits, .probes = description.probes});
  expect_rewrapped(made("eventhorizon:x64", {.bits = 1024, .probes = 7}), "guava");
  expect_refused(made("eventhorizon:x64", {.bits = 1000, .probes = 7}), "guava");
}

TEST(Rewrap, CountersBecomeBits) {
  const AnyFilter counting = made("bloomery", kHundred, Layout::kCounting);
  expect_rewrapped(counting, "bloomery");
  const auto bytes = rewrap(counting, *find_format("bloomery"));
  ASSERT_TRUE(bytes);
  const auto decoded = find_format("bloomery")->decode(*bytes, {});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(describe(*decoded).layout, "classic");
}

TEST(Rewrap, AnotherHashIsRefusedWithTheReason) {
  expect_refused(made("guava", kHundred), "guava:mitz32");
  expect_refused(made("guava", kHundred), "bits-and-blooms");
  expect_refused(made("bits-and-blooms", kHundred), "bits-and-blooms:v2.0.0");
  expect_refused(made("bloomery", kHundred, Layout::kCounting), "leveldb");
  expect_refused(made("go-bloom", kHundred), "bloomery");
}

TEST(Rewrap, TheSameFormatIsACopy) {
  const AnyFilter filter = made("guava", kHundred);
  const auto copy = rewrap(filter, *find_format("guava"));
  const auto own = find_format("guava")->encode(filter);
  ASSERT_TRUE(copy && own);
  EXPECT_EQ(*copy, *own);
}

}  // namespace
}  // namespace bloomery
