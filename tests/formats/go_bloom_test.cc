#include "bloomery/formats/go_bloom.h"

#include "tests/formats/golden.h"

namespace bloomery {
namespace {

using testing::from_hex;

SizingRequest sizing_of(const nlohmann::json& params) {
  SizingRequest sizing;
  sizing.keys = std::stoull(params.at("n").get<std::string>());
  sizing.rate = std::stod(params.at("p").get<std::string>());
  return sizing;
}

TEST(GoBloom, GoldenFiltersAgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/gobloom.json");
  ASSERT_EQ(golden.at("filters").size(), 12U);
  for (const auto& one : golden.at("filters")) {
    const SizingRequest sizing = sizing_of(one.at("params"));
    CreateOptions create;
    create.sizing = sizing;
    auto empty = create_go_bloom(create);
    ASSERT_TRUE(empty) << empty.error().message;
    EXPECT_EQ(empty->shape().probes, one.at("peer_reports").at("k").get<std::uint32_t>());
    testing::check_golden(
        one, std::move(*empty),
        [&](ByteView bytes) { return decode_go_bloom(bytes, {.sizing = sizing}); },
        encode_go_bloom);
  }
}

// The peer's own sizes for awkward goals; where it panics or always answers true, creation refuses.
TEST(GoBloom, ConstructorEdgeCasesMatchThePeerOrAreRefused) {
  const auto golden = testing::golden_json("formats/gobloom.json");
  for (const auto& one : golden.at("constructor_edge_cases")) {
    const std::string input = one.at(0);
    const std::string outcome = one.at(1);
    SCOPED_TRACE(input);
    double keys = 0;
    double rate = 0;
    ASSERT_EQ(std::sscanf(input.c_str(), "n=%lf p=%lf", &keys, &rate), 2);
    if (keys < 0) continue;  // a number of keys is unsigned here
    const auto shape = GoBloom::shape_for({static_cast<std::uint64_t>(keys), rate});
    unsigned long bytes = 0;
    unsigned probes = 0;
    const bool sized = std::sscanf(outcome.c_str(), "bytes=%lu k=%u", &bytes, &probes) == 2;
    if (!sized || bytes == 0 || probes == 0) {
      EXPECT_FALSE(shape);
    } else {
      ASSERT_TRUE(shape) << shape.error().message;
      EXPECT_EQ(shape->bits, bytes * 8);
      EXPECT_EQ(shape->probes, probes);
    }
  }
}

TEST(GoBloom, OpensAFilterWithoutProbesAsAlwaysTrue) {
  const std::vector<std::byte> bytes(17);
  DecodeOptions options;
  options.sizing.keys = 100;
  options.sizing.rate = 0.51;
  const auto filter = decode_go_bloom(bytes, options);
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(filter->may_contain(bytes_of("anything")));
  EXPECT_EQ(filter->health().verdict, Verdict::kSaturated);
}

TEST(GoBloom, TheDocumentedVectorHolds) {
  auto filter = *ClassicFilter<GoBloom>::for_goal({10, 0.01});
  filter.insert(bytes_of("hello"));
  EXPECT_EQ(testing::to_hex(encode_go_bloom(filter)), "0180080004004000200000");
}

TEST(GoBloom, DecodeRefusesALengthThatDoesNotAgree) {
  const std::vector<std::byte> bytes(119);
  DecodeOptions options;
  options.sizing.keys = 100;
  options.sizing.rate = 0.01;
  EXPECT_TRUE(decode_go_bloom(bytes, options));
  EXPECT_FALSE(decode_go_bloom(ByteView{bytes}.first(118), options));
  options.sizing = {};
  EXPECT_EQ(decode_go_bloom(bytes, options).error().code, ErrorCode::kInvalidArgument);
  options.sizing.bits = 952;
  options.sizing.probes = 6;
  EXPECT_TRUE(decode_go_bloom(bytes, options));
  options.limits.max_bytes = 118;
  EXPECT_EQ(decode_go_bloom(bytes, options).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery
