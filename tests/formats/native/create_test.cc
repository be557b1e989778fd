#include <gtest/gtest.h>

#include "bloomery/formats/native/native.h"
#include "bloomery/layout/sizing.h"

namespace bloomery {
namespace {

Result<NativeFilter> create(const SizingRequest& sizing, Layout layout = Layout::kClassic) {
  CreateOptions options;
  options.sizing = sizing;
  options.layout = layout;
  return create_native(options);
}
const ClassicFilter<BloomeryClassic>& classic(const Result<NativeFilter>& made) {
  return std::get<NativeClassic>(*made).filter;
}

TEST(NativeCreate, KeysAndRateAreTheGoal) {
  const auto made = create({.keys = 1000, .rate = 0.01});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(classic(made).shape(), *BloomeryClassic::shape_for({1000, 0.01}));
  EXPECT_EQ(classic(made).provenance().goal, (Goal{1000, 0.01}));
}

TEST(NativeCreate, BitsAloneHaveNoGoal) {
  const auto made = create({.bits = 12345});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(classic(made).shape(), (Shape{12345, 7}));
  EXPECT_EQ(classic(made).provenance().goal, std::nullopt);
  EXPECT_EQ(classic(create({.bits = 12345, .probes = 3})).shape(), (Shape{12345, 3}));
}

TEST(NativeCreate, ANewFilterHashesWithXxh3Of64Bits) {
  EXPECT_EQ(classic(create({.keys = 1000, .rate = 0.01})).dialect().hasher,
            Hasher{Profile::kXxh3_64});
}

TEST(NativeCreate, TooShortAHashIsRefusedOrNotChosen) {
  CreateOptions options;
  options.sizing = {.keys = 100'000'000, .rate = 1e-10};
  EXPECT_EQ(key_hash_for(options)->hasher, Hasher{Profile::kXxh3});
  options.profile = Profile::kXxh3_64;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(NativeCreate, TooShortAHashIsNotChosenWhereTheGoalFollowsFromTheRest) {
  const auto chosen = [](const SizingRequest& sizing, Layout layout = Layout::kAuto) {
    CreateOptions options;
    options.sizing = sizing;
    options.layout = layout;
    return key_hash_for(options)->hasher.profile();
  };
  // How many keys will come is not known: as many as make a hash of 64 bits too short.
  EXPECT_EQ(chosen({.rate = 1e-12}), Profile::kXxh3);
  EXPECT_EQ(chosen({.keys = 1000, .rate = 1e-9}, Layout::kScalable), Profile::kXxh3);
  EXPECT_EQ(chosen({.keys = 100'000'000, .bits_per_key = 50.0}), Profile::kXxh3);
  EXPECT_EQ(chosen({.rate = 1e-10, .bits = 4'800'000'000}), Profile::kXxh3);
  EXPECT_EQ(chosen({.rate = 1e-10, .blocks = 10'000'000}), Profile::kXxh3);
  EXPECT_EQ(chosen({.rate = 1e-4}), Profile::kXxh3_64);
  EXPECT_EQ(chosen({.keys = 1000, .rate = 1e-4}, Layout::kScalable), Profile::kXxh3_64);
  EXPECT_EQ(chosen({.keys = 1000, .rate = 1e-9}), Profile::kXxh3_64);
  EXPECT_EQ(chosen({.bits = 4'800'000'000}), Profile::kXxh3_64);
  CreateOptions asked;
  asked.profile = Profile::kXxh3_64;
  asked.sizing = {.rate = 1e-12};
  EXPECT_EQ(key_hash_for(asked).error().code, ErrorCode::kInvalidArgument);
  asked.sizing = {.keys = 100'000'000, .bits_per_key = 50.0};  // no rate was asked for
  EXPECT_EQ(key_hash_for(asked)->hasher.profile(), Profile::kXxh3_64);
}

TEST(NativeCreate, AnySufficientSizingWillDo) {
  EXPECT_EQ(classic(create({.keys = 1000, .bits_per_key = 10.0})).shape(), (Shape{10000, 7}));
  EXPECT_EQ(classic(create({.rate = 0.01, .bits = 9593})).provenance().goal, (Goal{1000, 0.01}));
  EXPECT_EQ(classic(create({.keys = 1000, .rate = 0.01, .probes = 4})).shape().probes, 4U);
  EXPECT_FALSE(create({.keys = 1000}));
  EXPECT_FALSE(create({.keys = 1000, .rate = 0.001, .bits = 1000}));
  EXPECT_FALSE(create({.bits = 0}));
  EXPECT_FALSE(create({.keys = 10, .rate = 0.01, .blocks = 4}));
}

TEST(NativeCreate, APlanBeyondTheLimitIsRefusedBeforeAnythingIsAllocated) {
  for (const Layout layout : {Layout::kAuto, Layout::kClassic, Layout::kBlock, Layout::kCounting,
                              Layout::kScalable, Layout::kLines}) {
    CreateOptions options;
    options.layout = layout;
    options.sizing = {.keys = 1000000000000, .rate = 0.01};
    EXPECT_EQ(create_native(options).error().code, ErrorCode::kTooLarge);
  }
  CreateOptions options;
  options.layout = Layout::kCounting;
  options.sizing = {.bits = 1000, .probes = 3};
  options.limits.max_bytes = 504;  // 1000 half-bytes in whole words
  EXPECT_TRUE(create_native(options));
  options.limits.max_bytes = 503;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kTooLarge);
  options.limits.max_bytes = 504;
  options.counter_bits = 8;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kTooLarge);
  options.counter_bits = 3;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(NativeCreate, ScalableTakesAGoalOnly) {
  EXPECT_TRUE(create({.keys = 100, .rate = 0.01}, Layout::kScalable));
  EXPECT_FALSE(create({.keys = 100}, Layout::kScalable));
  EXPECT_FALSE(create({.keys = 100, .rate = 0.01, .bits = 5}, Layout::kScalable));
  CreateOptions options;
  options.layout = Layout::kScalable;
  options.sizing = {.keys = 100, .rate = 0.01};
  options.growth.tightening = 1;
  EXPECT_FALSE(create_native(options));
}

TEST(NativeCreate, ProfilesGetWhatTheyNeed) {
  CreateOptions options;
  options.sizing = {.keys = 100, .rate = 0.01};
  options.profile = Profile::kMix;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kInvalidArgument);
  options.funnel = FunnelName::kU64;
  EXPECT_TRUE(create_native(options));
  options.profile = Profile::kSiphash;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kInvalidArgument);
  options.sip_key = sip_key_from_secret(bytes_of("secret"));
  options.seed = 5;  // ignored: a keyed filter has no seed
  const auto keyed = create_native(options);
  ASSERT_TRUE(keyed);
  EXPECT_TRUE(decode_native(encode_native(*keyed), {.sip_key = options.sip_key}));
}

// Where numbers have a hash of their own, a filter of them must say so in its file.
TEST(NativeCreate, WholeNumbersSurviveTheFile) {
  CreateOptions options;
  options.layout = Layout::kClassic;
  options.sizing = {.keys = 100, .rate = 0.001};
  options.profile = Profile::kAes;
  options.funnel = FunnelName::kU64;
  auto made = create_native(options);
  ASSERT_TRUE(made);
  std::byte raw[8];
  for (std::uint64_t i = 0; i < 100; ++i) {
    store_le(raw, i);
    std::get<NativeClassic>(*made).filter.insert(raw);
  }
  const auto again = decode_native(encode_native(*made), {});
  ASSERT_TRUE(again);
  for (std::uint64_t i = 0; i < 100; ++i) {
    store_le(raw, i);
    EXPECT_TRUE(classic(again).may_contain(raw));
  }
  EXPECT_EQ(std::get<NativeClassic>(*again).funnel, FunnelName::kU64);
}

TEST(NativeCreate, DescriptionsSayWhatTheyAre) {
  const auto made = create({.keys = 10, .rate = 0.01}, Layout::kScalable);
  ASSERT_TRUE(made);
  auto grown = std::get<NativeScalable>(*made).clone();
  for (const std::string_view key : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
    ASSERT_TRUE(grown.filter.insert(bytes_of(key)));
  const Description description = describe(grown);
  EXPECT_EQ(description.format, "bloomery");
  EXPECT_EQ(description.layout, "scalable");
  EXPECT_EQ(description.dialect, "bloomery-classic");
  EXPECT_EQ(description.layers.size(), 2U);
  EXPECT_EQ(description.probes, std::nullopt);
  EXPECT_EQ(description.goal, (Goal{10, 0.01}));
  EXPECT_TRUE(description.has_checksum);
  const auto counting = create({.keys = 10, .rate = 0.01}, Layout::kCounting);
  const Description counted = describe(std::get<NativeCounting<4>>(*counting));
  EXPECT_EQ(counted.layout, "counting");
  EXPECT_EQ(counted.notes.size(), 2U);
}

template <class T>
concept Foldable = requires(const T& native) {
  native.fold(2);
};

TEST(NativeCreate, AFoldedFilterKeepsItsFunnel) {
  CreateOptions options;
  options.layout = Layout::kClassic;
  options.sizing = {.bits = 6400, .probes = 3};
  options.funnel = FunnelName::kI32;
  const auto made = create_native(options);
  ASSERT_TRUE(made);
  const auto folded = std::get<NativeClassic>(*made).fold(2);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->funnel, FunnelName::kI32);
  EXPECT_EQ(folded->filter.shape(), (Shape{3200, 3}));
  static_assert(Foldable<NativeClassic> && !Foldable<NativeScalable>);
}

}  // namespace
}  // namespace bloomery
