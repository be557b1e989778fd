#include "bloomery/untyped_filter.h"

#include <gtest/gtest.h>

#include <limits>

#include "bloomery/bloomery.h"
#include "tests/base/scratch_folder.h"

namespace bloomery {
namespace {

constexpr Goal kUntypedGoal{1000, 1e-3};

UntypedFilter untyped(FunnelName funnel) {
  auto filter = UntypedFilter::for_goal(kUntypedGoal, funnel);
  EXPECT_TRUE(filter) << filter.error().message;
  return std::move(*filter);
}

TEST(UntypedFilter, HoldsTheBitsOfATypedFilter) {
  UntypedFilter numbers = untyped(FunnelName::kU64);
  Filter<std::uint64_t> typed_numbers(kUntypedGoal);
  UntypedFilter words = untyped(FunnelName::kBytes);
  Filter<std::string> typed_words(kUntypedGoal);
  UntypedFilter rates = untyped(FunnelName::kF64);
  Filter<double> typed_rates(kUntypedGoal);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(*numbers.insert(i), typed_numbers.insert(static_cast<std::uint64_t>(i)));
    EXPECT_EQ(*words.insert(std::to_string(i)), typed_words.insert(std::to_string(i)));
    EXPECT_EQ(*rates.insert(i / 8.0), typed_rates.insert(i / 8.0));
  }
  EXPECT_EQ(numbers.raw(), typed_numbers.raw());
  EXPECT_EQ(words.raw(), typed_words.raw());
  EXPECT_EQ(rates.raw(), typed_rates.raw());
}

TEST(UntypedFilter, ReadsTextAsItsKeyType) {
  UntypedFilter numbers = untyped(FunnelName::kI32);
  ASSERT_TRUE(*numbers.insert(-42));
  EXPECT_TRUE(*numbers.may_contain("-42"));
  EXPECT_FALSE(*numbers.may_contain("42"));
  EXPECT_EQ(numbers.may_contain("forty-two").error().code, ErrorCode::kInvalidArgument);
  UntypedFilter flags = untyped(FunnelName::kBool);
  ASSERT_TRUE(*flags.insert(true));
  EXPECT_TRUE(*flags.may_contain("true"));
}

TEST(UntypedFilter, RefusesKeysOfAnotherTypeOrOutOfRange) {
  UntypedFilter bytes = untyped(FunnelName::kI8);
  const std::vector<AnyKey> refused = {128, -129, 1.5, true, ByteView{}, UINT64_MAX};
  for (const AnyKey& key : refused) {
    EXPECT_EQ(bytes.insert(key).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(bytes.may_contain(key).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(bytes.insert(-128));
  EXPECT_FALSE(untyped(FunnelName::kU64).insert(-1));
  EXPECT_FALSE(untyped(FunnelName::kF32).insert(std::numeric_limits<double>::max()));
  EXPECT_FALSE(untyped(FunnelName::kF64).insert(INT64_MAX));
  EXPECT_FALSE(untyped(FunnelName::kBytes).insert(7));
  EXPECT_FALSE(untyped(FunnelName::kUtf16).insert(ByteView{}));
  EXPECT_FALSE(UntypedFilter::for_goal(kUntypedGoal, FunnelName::kUser));
  EXPECT_FALSE(UntypedFilter::for_goal(kUntypedGoal, FunnelName::kBytes, Hasher{Profile::kMix}));
}

TEST(UntypedFilter, TakesTheKeyTypeOfItsFile) {
  const ScratchFolder folder;
  const auto file = folder.path() / "numbers.bloom";
  Filter<std::int64_t> numbers(kUntypedGoal);
  numbers.insert(7);
  ASSERT_TRUE(numbers.save(file));
  auto loaded = UntypedFilter::load(file);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->funnel(), FunnelName::kI64);
  EXPECT_TRUE(*loaded->may_contain(7));
  EXPECT_FALSE(*loaded->may_contain(8));
  ASSERT_TRUE(loaded->insert(8));
  ASSERT_TRUE(loaded->save(file));
  EXPECT_TRUE(Filter<std::int64_t>::load(file)->may_contain(8));
  EXPECT_EQ(loaded->merge(untyped(FunnelName::kU64)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(loaded->remove(7).error().code, ErrorCode::kUnsupported);
  const UntypedFilter copy = loaded->clone();
  loaded->clear();
  EXPECT_FALSE(*loaded->may_contain(7));
  ASSERT_TRUE(loaded->merge(copy));
  EXPECT_TRUE(*loaded->may_contain(7));
}

}  // namespace
}  // namespace bloomery
