// Every format that can make a filter: decoding what was encoded gives the same bytes and answers.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bloomery/formats/format.h"
#include "tests/filter/many_keys.h"

namespace bloomery::testing {
namespace {

// Formats are sized differently; each takes the first request that it understands.
std::vector<SizingRequest> possible_sizings(std::uint64_t keys) {
  SizingRequest by_goal;
  by_goal.keys = keys;
  by_goal.rate = 0.01;
  SizingRequest by_shape;
  by_shape.bits = keys * 16;
  by_shape.probes = 5;
  SizingRequest by_keys;
  by_keys.keys = keys;
  return {by_goal, by_shape, by_keys, {}};
}

struct Made {
  AnyFilter filter;
  DecodeOptions decode;  // what a format without a header needs besides
};
Result<Made> make_with(const Format& format, CreateOptions options, std::uint64_t keys) {
  Error last{ErrorCode::kUnsupported, "no sizing was tried"};
  for (const SizingRequest& sizing : possible_sizings(keys)) {
    options.sizing = sizing;
    auto filter = format.create(options);
    if (filter) return Made{std::move(*filter), {.sizing = sizing, .sip_key = options.sip_key}};
    last = filter.error();
  }
  return last;
}

std::vector<std::uint8_t> answers_of(const AnyFilter& filter, std::span<const ByteView> keys) {
  std::vector<std::uint8_t> answers(keys.size(), 2);
  EXPECT_TRUE(may_contain_batch(filter, keys, answers));
  return answers;
}

void expect_identity(const Format& format, const CreateOptions& options, std::size_t count) {
  SCOPED_TRACE(std::string{format.name} + " with " + std::to_string(count) + " keys");
  auto made = make_with(format, options, std::max<std::uint64_t>(count, 8));
  ASSERT_TRUE(made) << made.error().message;
  const ManyKeys keys{count};
  const ManyKeys absent{500, "absent"};
  std::vector<std::uint8_t> is_new(keys.size());
  const auto added = insert_batch(made->filter, keys.views(), is_new);
  ASSERT_TRUE(added || added.error().code == ErrorCode::kUnsupported) << added.error().message;
  const auto bytes = format.encode(made->filter);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto decoded = format.decode(*bytes, made->decode);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->index(), made->filter.index());
  const auto again = format.encode(*decoded);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *bytes);
  if (!added) return;  // a block of many filters is asked with an offset besides the key
  EXPECT_EQ(answers_of(*decoded, absent.views()), answers_of(made->filter, absent.views()));
  EXPECT_EQ(answers_of(*decoded, keys.views()), std::vector<std::uint8_t>(keys.size(), 1));
}

TEST(FormatProperties, DecodingWhatWasEncodedIsTheIdentity) {
  std::size_t made = 0;
  for (const Format& format : formats()) {
    if (format.create == nullptr) continue;
    ++made;
    for (const std::size_t count : {0U, 1U, 63U, 500U, 3000U}) expect_identity(format, {}, count);
  }
  EXPECT_GE(made, 15U);
}

TEST(FormatProperties, OurOwnFileKeepsEveryLayoutAndProfile) {
  const Format* native = find_format("bloomery");
  ASSERT_NE(native, nullptr);
  for (const Layout layout :
       {Layout::kClassic, Layout::kBlock, Layout::kLines, Layout::kCounting, Layout::kScalable})
    for (const std::uint32_t counter_bits : {2U, 4U, 8U})
      for (const Profile profile :
           {Profile::kXxh3, Profile::kXxh3_64, Profile::kAes, Profile::kSiphash}) {
        CreateOptions options;
        options.layout = layout;
        options.counter_bits = counter_bits;
        options.profile = profile;
        if (profile == Profile::kSiphash) options.sip_key = SipKey{};
        expect_identity(*native, options, 700);
      }
}

// A random shape: the bits need not be a multiple of anything that we would have thought of.
TEST(FormatProperties, AnyShapeThatAFormatTakesComesBack) {
  EXPECT_TRUE(rc::check([] {
    CreateOptions options;
    options.sizing.bits = *rc::gen::inRange<std::uint64_t>(1, 5000);
    options.sizing.probes = *rc::gen::inRange<std::uint32_t>(1, 20);
    const ManyKeys keys{*rc::gen::inRange<std::size_t>(0, 200)};
    for (const Format& format : formats()) {
      if (format.create == nullptr) continue;
      auto filter = format.create(options);
      if (!filter) continue;
      std::vector<std::uint8_t> is_new(keys.size());
      (void)insert_batch(*filter, keys.views(), is_new);
      const auto bytes = format.encode(*filter);
      if (!bytes) RC_FAIL(std::string{format.name} + ": " + bytes.error().message);
      const auto decoded = format.decode(*bytes, {.sizing = options.sizing});
      if (!decoded) RC_FAIL(std::string{format.name} + ": " + decoded.error().message);
      const auto again = format.encode(*decoded);
      RC_ASSERT(bool{again});
      RC_ASSERT(*again == *bytes);
    }
  }));
}

}  // namespace
}  // namespace bloomery::testing
