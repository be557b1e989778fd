#include "bloomery/base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

Result<std::string> spelled(std::uint32_t number) {
  if (number == 1) return std::string{"one"};
  return Error{ErrorCode::kUnsupported,
               message("Only 1 can be spelled, but ", number, " was found.")};
}

TEST(Result, HoldsAValue) {
  auto result = spelled(1);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, "one");
  EXPECT_EQ(result->size(), 3u);
  *result += "!";
  EXPECT_EQ(*std::as_const(result), "one!");
  EXPECT_EQ(std::as_const(result)->size(), 4u);
}

TEST(Result, HoldsAnError) {
  const auto result = spelled(2);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(result.error().message, "Only 1 can be spelled, but 2 was found.");
}

TEST(Result, GivesUpAValueThatOnlyMoves) {
  Result<std::unique_ptr<int>> result{std::make_unique<int>(7)};
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, OfABoolIsTheAnswerAndNotWhetherThereIsOne) {
  const Result<bool> no{false};
  EXPECT_TRUE(no.has_value());
  EXPECT_FALSE(*no);
}

TEST(Result, StatusIsSuccessWithNothingToSay) {
  EXPECT_TRUE(ok());
  const Status failed = Error{ErrorCode::kIo, "The disk said no."};
  EXPECT_FALSE(failed);
}

}  // namespace
}  // namespace bloomery
