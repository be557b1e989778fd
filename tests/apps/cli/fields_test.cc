#include "apps/cli/fields.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::cli {
namespace {

std::string cut(std::string_view record, std::string_view list, char separator = ',') {
  const auto fields = parse_fields(list);
  if (!fields) return "error: " + fields.error().message;
  std::vector<std::byte> key;
  append_fields(bytes_of(record), static_cast<std::byte>(separator), *fields, key);
  return std::string{text_of(key)};
}

TEST(Fields, AreThoseOfCut) {  // each expected with GNU cut 9.1, -d, -f LIST
  EXPECT_EQ(cut("a,b,c,d,e", "1"), "a");
  EXPECT_EQ(cut("a,b,c,d,e", "1,3-5"), "a,c,d,e");
  EXPECT_EQ(cut("a,b,c,d,e", "-3"), "a,b,c");
  EXPECT_EQ(cut("a,b,c,d,e", "2-"), "b,c,d,e");
  EXPECT_EQ(cut("a,b,c,d,e", "5,1"), "a,e");
  EXPECT_EQ(cut("a,b,c", "2,2,1-2"), "a,b");
  EXPECT_EQ(cut("a,b,c", "7"), "");
  EXPECT_EQ(cut("a,,c", "2"), "");
  EXPECT_EQ(cut("a,b,", "3"), "");
  EXPECT_EQ(cut("a,b,", "2-"), "b,");
  EXPECT_EQ(cut("no separator", "2"), "no separator");
  EXPECT_EQ(cut("", "1"), "");
}

TEST(Fields, RefuseWhatIsNoList) {
  for (const char* list : {"", "0", "a", "1,", ",1", "3-2", "-", "1-2-3", "1;2", "-0", "+1"})
    EXPECT_FALSE(parse_fields(list)) << list;
}

}  // namespace
}  // namespace bloomery::cli
