#include "apps/cli/records/fields.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::cli {
namespace {

std::string cut(std::string_view record, std::string_view list, char separator = ',') {
  const auto fields = parse_fields(list);
  if (!fields) return "error: " + fields.error().message;
  std::vector<std::byte> key;
  const auto found =
      append_fields(bytes_of(record), {static_cast<std::byte>(separator), true}, *fields, key);
  if (!found) return "error: " + found.error().message;
  return std::string{text_of(key)} + (*found < last_named(*fields) ? " and too few" : "");
}

TEST(Fields, AreThoseOfCut) {  // each key with GNU cut 9.1, -d, -f LIST
  EXPECT_EQ(cut("a,b,c,d,e", "1"), "a");
  EXPECT_EQ(cut("a,b,c,d,e", "1,3-5"), "a,c,d,e");
  EXPECT_EQ(cut("a,b,c,d,e", "-3"), "a,b,c");
  EXPECT_EQ(cut("a,b,c,d,e", "2-"), "b,c,d,e");
  EXPECT_EQ(cut("a,b,c,d,e", "5,1"), "a,e");
  EXPECT_EQ(cut("a,b,c", "2,2,1-2"), "a,b");
  EXPECT_EQ(cut("a,,c", "2"), "");
  EXPECT_EQ(cut("a,b,", "3"), "");
  EXPECT_EQ(cut("a,b,", "2-"), "b,");
  EXPECT_EQ(cut("no separator", "1"), "no separator");
  EXPECT_EQ(cut("", "1"), "");
}

TEST(Fields, AreCountedAgainstThoseThatAreNamed) {
  EXPECT_EQ(cut("a,b,c", "7"), " and too few");
  EXPECT_EQ(cut("a,b,c", "2,7"), "b and too few");
  EXPECT_EQ(cut("a,b,c", "2-4"), "b,c and too few");
  EXPECT_EQ(cut("a,b,c", "4-"), " and too few");
  EXPECT_EQ(cut("a,b,c", "3-"), "c");
  EXPECT_EQ(cut("a,b,c", "-4"), "a,b,c and too few");
  EXPECT_EQ(cut("no separator", "2"), " and too few");
}

TEST(Fields, ThatBeginWithAQuoteAreRefused) {
  EXPECT_EQ(cut("a,\"b,c\",d", "4").substr(0, 38), "error: field 2 begins with a double qu");
  EXPECT_EQ(cut("\"a\"", "1").substr(0, 14), "error: field 1");
  EXPECT_EQ(cut("a,b\"c", "2"), "b\"c");
  std::vector<std::byte> key;
  EXPECT_TRUE(append_fields(bytes_of("\"a,b\""), {std::byte{','}, false}, *parse_fields("1"), key));
  EXPECT_EQ(text_of(key), "\"a");
}

TEST(Fields, HaveTheirPlaceInTheRecord) {
  const auto place = [](std::string_view list, std::size_t appended) {
    return place_in_record(bytes_of("ab,,cde,f"), std::byte{','}, *parse_fields(list), appended);
  };
  const std::size_t whole[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const std::size_t i : whole) EXPECT_EQ(place("1-", i), i);
  EXPECT_EQ(place("1,3", 2), 2U);  // ab,cde: the separator behind the first field
  EXPECT_EQ(place("1,3", 3), 4U);
  EXPECT_EQ(place("1,3", 5), 6U);
  EXPECT_EQ(place("3", 0), 4U);
  EXPECT_EQ(place("2", 0), 3U);
  EXPECT_EQ(place("1,4", 9), 9U);  // behind the last one
}

TEST(Fields, RefuseWhatIsNoList) {
  for (const char* list : {"", "0", "a", "1,", ",1", "3-2", "-", "1-2-3", "1;2", "-0", "+1"})
    EXPECT_FALSE(parse_fields(list)) << list;
}

}  // namespace
}  // namespace bloomery::cli
