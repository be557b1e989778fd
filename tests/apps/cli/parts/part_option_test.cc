#include "apps/cli/parts/part_option.h"

#include <gtest/gtest.h>

namespace bloomery::cli {
namespace {

std::string refusal(std::string_view text) {
  const auto part = parse_part(text);
  return part ? std::string{} : part.error().message;
}

TEST(PartOption, ReadsPartsCountedFromZero) {
  EXPECT_EQ(*parse_part("0/1"), (bloomery::Part{0, 1}));
  EXPECT_EQ(*parse_part("63/64"), (bloomery::Part{63, 64}));
  EXPECT_EQ(*parse_part("03/64"), (bloomery::Part{3, 64}));
}

TEST(PartOption, RefusesWhatIsNoPart) {
  for (const std::string_view text : {"", "3", "/", "3/", "/64", "3-64", "a/64", "3/b", "-1/64",
                                      "3/64/2", "3 /64", "4294967296/64", "3/4294967297"})
    EXPECT_EQ(refusal(text),
              message("'", text, "' is not a part; write i/N, such as 0/64 to 63/64"))
        << text;
  EXPECT_EQ(refusal("64/64"), "there is no part 64 of 64: parts are counted from 0 to 63");
  EXPECT_EQ(refusal("0/0"), "a filter has 1 to 1048576 parts, not 0");
  EXPECT_EQ(refusal("0/1048577"), "a filter has 1 to 1048576 parts, not 1048577");
}

}  // namespace
}  // namespace bloomery::cli
