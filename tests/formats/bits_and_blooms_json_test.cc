// The JSON of bits-and-blooms; its golden filters are checked beside the binary ones.
#include "bloomery/formats/bits_and_blooms.h"
#include "tests/formats/golden.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

constexpr std::string_view kGood = R"({"m":64,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})";

Result<BitsAndBloomsFilter<BitsAndBlooms>> decoded(std::string_view text) {
  return decode_bits_and_blooms_json(bytes_of(text), {});
}

// As the peer's v3.7.1, but for the empty object: the peer makes a filter of nothing from it, which
// answers "maybe" to every key.
TEST(BitsAndBloomsJson, ErrorCasesEndAsInThePeer) {
  const auto golden = testing::golden_json("formats/willf.json");
  const auto& rows = golden.at("json_error_cases").at("rows");
  ASSERT_EQ(rows.size(), 7U);
  for (const auto& row : rows) {
    const std::string text = row.at(0);
    const std::string outcome = row.at(2);
    SCOPED_TRACE(text);
    const auto filter = decoded(text);
    if (!outcome.starts_with("ok") || text == "{}") {
      ASSERT_FALSE(filter);
      EXPECT_FALSE(filter.error().message.empty());
    } else {
      ASSERT_TRUE(filter) << filter.error().message;
      EXPECT_EQ(filter->may_contain(bytes_of("a")), outcome.ends_with("a=true"));
    }
  }
}

TEST(BitsAndBloomsJson, OrderSpaceAndUnknownMembersDoNotMatter) {
  const auto good = decoded(kGood);
  ASSERT_TRUE(good);
  const auto other = decoded(
      " { \"b\" : \"AAAAAAAAAEDkJAzCEpaGfw==\", \"note\": {\"m\": [1, {\"k\": -2}], \"b\": null},\n"
      " \"k\":3, \"x\": 1.5, \"y\": true, \"m\":64}\n");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->filter, good->filter);
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(*other)), kGood);
}

TEST(BitsAndBloomsJson, BothAlphabetsAreReadAndKept) {
  const std::string url = R"({"m":64,"k":1,"b":"AAAAAAAAAED7-______-_w=="})";
  const std::string standard = R"({"m":64,"k":1,"b":"AAAAAAAAAED7+//////+/w=="})";
  const auto from_url = decoded(url);
  const auto from_standard = decoded(standard);
  ASSERT_TRUE(from_url && from_standard);
  EXPECT_EQ(from_url->filter, from_standard->filter);
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(*from_url)), url);
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(*from_standard)), standard);
  EXPECT_FALSE(decoded(R"({"m":64,"k":1,"b":"AAAAAAAAAED7-//////-/w=="})")) << "a mixture";
}

TEST(BitsAndBloomsJson, ALittleEndianBitsetIsReadAndKept) {
  const std::string text = R"({"m":64,"k":1,"b":"QAAAAAAAAAABAAAAAAAAAA=="})";
  const auto filter = decoded(text);
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(filter->encoding.little_endian);
  EXPECT_EQ(end_of_ones(filter->filter.bytes()), 1U);
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(*filter)), text);
}

TEST(BitsAndBloomsJson, WrongTypesAndShapesAreRefusedWithASentence) {
  for (const std::string_view text :
       {"", "[]", "1", "\"b\"", "null", "{", R"({"m":64,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="} x)",
        R"({"m":"64","k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})",
        R"({"m":64.0,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})",
        R"({"m":64,"k":true,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})",
        R"({"m":64,"k":[3],"b":"AAAAAAAAAEDkJAzCEpaGfw=="})", R"({"m":64,"k":3,"b":7})",
        R"({"m":64,"k":3,"b":null})", R"({"m":64,"k":3,"b":{}})",
        R"({"m":64,"k":0,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})",
        R"({"m":0,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})",
        R"({"m":64,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw"})",
        R"({"m":64,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw==AAAA"})",
        R"({"m":99999999999999999999,"k":3,"b":"AAAAAAAAAEDkJAzCEpaGfw=="})"}) {
    const auto filter = decoded(text);
    ASSERT_FALSE(filter) << text;
    EXPECT_NE(filter.error().message.find("bits-and-blooms"), std::string::npos) << text;
  }
}

TEST(BitsAndBloomsJson, DeepNestingAndLongTextsCostNoMemory) {
  const std::string deep(1'000'000, '[');
  EXPECT_FALSE(decoded("{\"x\":" + deep));
  const DecodeOptions small{.limits = {.max_bytes = 1024}};
  const std::string padded = std::string(100'000, ' ') + std::string{kGood};
  EXPECT_EQ(decode_bits_and_blooms_json(bytes_of(padded), small).error().code,
            ErrorCode::kTooLarge);
  EXPECT_TRUE(decode_bits_and_blooms_json(bytes_of(kGood), small));
}

TEST(BitsAndBloomsJson, LooksLikeOneByItsFirstMember) {
  EXPECT_TRUE(looks_like_bits_and_blooms_json(bytes_of(kGood)));
  EXPECT_TRUE(looks_like_bits_and_blooms_json(bytes_of(" {\n \"b\": \"\"")));
  EXPECT_FALSE(looks_like_bits_and_blooms_json(bytes_of("{\"bits\": 3}")));
  EXPECT_FALSE(looks_like_bits_and_blooms_json(bytes_of("[1]")));
  EXPECT_FALSE(looks_like_bits_and_blooms_json(bytes_of("{")));
  EXPECT_FALSE(looks_like_bits_and_blooms_json({}));
}

TEST(BitsAndBloomsJson, SurvivesHostileBytes) {
  const DecodeOptions small{.limits = {.max_bytes = 1 << 20}};
  const ByteView good = bytes_of(kGood);
  testing::survive_hostile_bytes({good.begin(), good.end()}, [&](ByteView bytes) {
    return decode_bits_and_blooms_json(bytes, small);
  });
}

}  // namespace
}  // namespace bloomery
