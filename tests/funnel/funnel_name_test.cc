#include "bloomery/funnel/funnel_name.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

// The ids are in files: this table must never change, only grow.
TEST(FunnelName, KeepsItsNumbers) {
  const std::pair<std::string_view, unsigned> kTable[] = {
      {"bytes", 0}, {"utf16", 1}, {"i32", 2}, {"i64", 3},  {"u64", 4},  {"i8", 5},
      {"i16", 6},   {"f32", 7},   {"f64", 8}, {"bool", 9}, {"json", 10}};
  for (const auto& [name, id] : kTable) {
    const auto found = find_funnel(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(static_cast<unsigned>(*found), id) << name;
    EXPECT_EQ(funnel_name(*found), name);
  }
  EXPECT_EQ(static_cast<unsigned>(FunnelName::kUser), 0xffffu);
}

TEST(FunnelName, FindsNothingForOtherNames) {
  for (const std::string_view name : {"", "user", "unknown", "u32", "I32", "bytes ", "byte"})
    EXPECT_FALSE(find_funnel(name)) << name;
}

TEST(FunnelName, HasAWordForEveryNumber) {
  EXPECT_EQ(funnel_name(FunnelName::kUser), "user");
  EXPECT_EQ(funnel_name(FunnelName{77}), "unknown");
}

TEST(FunnelName, OfAFunnelTypeIsWhatAFileSays) {
  EXPECT_EQ(kFunnelName<Utf8Funnel>, FunnelName::kBytes);
  EXPECT_EQ(kFunnelName<U64Funnel>, FunnelName::kU64);
  EXPECT_EQ(kFunnelName<U32Funnel>, FunnelName::kUser);
  EXPECT_EQ(kFunnelName<SequenceFunnel<I32Funnel>>, FunnelName::kUser);
}

}  // namespace
}  // namespace bloomery
