#include "bloomery/formats/dcso.h"

#include <limits>
#include <map>

#include "bloomery/formats/gzip.h"
#include "tests/formats/golden.h"
#include "tests/formats/hostile.h"
#include "tests/formats/peer_cases.h"

namespace bloomery {
namespace {

using nlohmann::json;
using testing::Bytes;
using testing::from_hex;

Result<DcsoFilter> decoded(ByteView bytes) { return decode_dcso(bytes, {}); }

Result<DcsoFilter> created(const json& params) {
  CreateOptions options;
  options.sizing.keys = std::stoull(params.at("n").get<std::string>());
  options.sizing.rate = std::stod(params.at("p").get<std::string>());
  options.user_data = from_hex(params.at("data_hex"));
  return create_dcso(options);
}

// A goal too small for the peer's rule: a file of no bits, which we open and do not make.
void check_always_true(const json& one) {
  EXPECT_FALSE(created(one.at("params")));
  const Bytes bytes = from_hex(one.at("bytes_hex"));
  auto filter = decoded(bytes);
  ASSERT_TRUE(filter) << filter.error().message;
  for (const auto& answer : one.at("answers")) {
    EXPECT_EQ(answer.at(1), 1);
    EXPECT_TRUE(filter->may_contain(from_hex(answer.at(0))));
  }
  for (const auto& key : one.at("keys")) EXPECT_FALSE(filter->insert(from_hex(key)));
  EXPECT_EQ(encode_dcso(*filter), bytes);
  EXPECT_EQ(describe(*filter).health->verdict, Verdict::kSaturated);
}

TEST(Dcso, GoldenFiltersAgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/dcso.json");
  ASSERT_EQ(golden.at("filters").size(), 10U);
  for (const auto& one : golden.at("filters")) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    if (one.at("peer_reports").at("m") == 0) {
      check_always_true(one);
      continue;
    }
    auto empty = created(one.at("params"));
    ASSERT_TRUE(empty) << empty.error().message;
    testing::expect_peers_shape(empty->filter.shape(), one.at("peer_reports"));
    testing::check_golden(one, std::move(*empty), decoded, encode_dcso);
    const auto back = decoded(from_hex(one.at("bytes_hex")));
    EXPECT_EQ(back->filter.provenance().keys_inserted,
              one.at("peer_reports").at("N").get<std::uint64_t>());
  }
}

// Where the peer panics, makes a filter of nothing or takes a rate above 1, creation refuses.
TEST(Dcso, InitializationEdgeCasesMatchThePeerOrAreRefused) {
  const auto golden = testing::golden_json("formats/dcso.json");
  ASSERT_EQ(golden.at("initialize_edge_cases").size(), 7U);
  int equal = 0;
  for (const auto& one : golden.at("initialize_edge_cases")) {
    SCOPED_TRACE(one.at(0).get<std::string>());
    const auto sizing = testing::peer_sizing(one);
    const bool refused = !sizing.has_shape || sizing.bits == 0 || sizing.rate >= 1;
    equal += testing::expect_peers_sizing<Dcso>(sizing, refused) ? 1 : 0;
  }
  EXPECT_EQ(equal, 2);
}

DcsoFilter made(std::uint64_t keys, double rate) {
  return std::move(*create_dcso({.sizing = {.keys = keys, .rate = rate}}));
}

Bytes good_bytes() {  // the filter of the peer's read cases
  DcsoFilter filter = made(20, 0.01);
  filter.insert(bytes_of("a"));
  return encode_dcso(filter);
}

Bytes with_field(std::size_t index, std::uint64_t value) {
  Bytes bytes = good_bytes();
  store_le(bytes.data() + index * 8, value);
  return bytes;
}

Bytes cut(std::size_t size) { return testing::cut(good_bytes(), size); }

std::map<std::string, Bytes> read_cases() {
  Bytes trailing = good_bytes();
  for (const char c : {'h', 'i'}) trailing.push_back(static_cast<std::byte>(c));
  return {{"good", good_bytes()},
          {"empty", {}},
          {"cut 5", cut(5)},
          {"cut 8", cut(8)},
          {"cut 47", cut(47)},
          {"cut 48", cut(48)},
          {"cut last", cut(good_bytes().size() - 1)},
          {"flags 0", with_field(0, 0)},
          {"flags 2", with_field(0, 2)},
          {"flags 0x101", with_field(0, 0x101)},
          {"k=2^63", with_field(3, std::uint64_t{1} << 63)},
          {"k=2^62", with_field(3, std::uint64_t{1} << 62)},
          {"k=0", with_field(3, 0)},
          {"m=0", with_field(4, 0)},
          {"m bigger than data", with_field(4, 1000)},
          {"m smaller", with_field(4, 64)},
          {"trailing data", trailing}};
}

// Only 2^62 probes, which the peer takes and then allocates memory for, are refused.
TEST(Dcso, ReadCasesEndAsInThePeer) {
  const auto golden = testing::golden_json("formats/dcso.json");
  const auto cases = read_cases();
  ASSERT_EQ(golden.at("read_error_cases").size(), cases.size());
  for (const auto& row : golden.at("read_error_cases")) {
    const std::string name = row.at(0);
    const std::string outcome = row.at(1);
    SCOPED_TRACE(name);
    const auto filter = decoded(cases.at(name));
    if (!outcome.starts_with("ok") || name == "k=2^62") {
      EXPECT_FALSE(filter);
      continue;
    }
    ASSERT_TRUE(filter) << filter.error().message;
    testing::expect_peers_answers(*filter, outcome);
    EXPECT_EQ(filter->goal_keys, 20U);
    EXPECT_EQ(filter->filter.provenance().keys_inserted, 1U);
    EXPECT_EQ(encode_dcso(*filter), cases.at(name));
    const std::size_t data_bytes = name == "trailing data" ? 2 : name == "m smaller" ? 16 : 0;
    EXPECT_EQ(filter->data.size(), data_bytes);
  }
}

TEST(Dcso, AGzippedFileIsReadAndStaysOne) {
  DcsoFilter filter = made(500, 0.01);
  filter.insert(bytes_of("a"));
  filter.data = from_hex("6d657461");
  const Bytes plain = encode_dcso(filter);
  filter.gzip = true;
  const Bytes compressed = encode_dcso(filter);
  EXPECT_LT(compressed.size(), plain.size());
  EXPECT_TRUE(looks_like_dcso(compressed));
  auto back = decoded(compressed);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(back->gzip);
  EXPECT_EQ(encode_dcso(*back), compressed);
  back->gzip = false;
  EXPECT_EQ(encode_dcso(*back), plain);
  EXPECT_FALSE(decoded(ByteView{compressed}.first(compressed.size() - 1)));
  Bytes damaged = compressed;
  damaged[compressed.size() - 6] ^= std::byte{1};
  EXPECT_EQ(decoded(damaged).error().code, ErrorCode::kMalformed);
}

TEST(Dcso, AGzipBombStopsAtTheLimit) {
  Bytes plain = good_bytes();
  plain.resize(plain.size() + (8 << 20));  // user data without end
  const DecodeOptions small{.limits = {.max_bytes = 1 << 20}};
  EXPECT_EQ(decode_dcso(gzipped(plain), small).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(decode_dcso(plain, small).error().code, ErrorCode::kTooLarge);
  // A header that promises more than so few bytes can inflate to is refused before memory is taken.
  EXPECT_EQ(decoded(gzipped(with_field(4, std::uint64_t{1} << 32))).error().code,
            ErrorCode::kTruncated);
}

TEST(Dcso, OddGoalsKeepTheirBytes) {
  for (const double rate : {std::numeric_limits<double>::quiet_NaN(), -0.0, 1.5, 1e-320}) {
    Bytes bytes = with_field(2, std::bit_cast<std::uint64_t>(rate) | 1);
    store_le(bytes.data() + 8, std::uint64_t{0});
    const auto filter = decoded(bytes);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_FALSE(filter->filter.provenance().goal);
    EXPECT_EQ(encode_dcso(*filter), bytes);
    EXPECT_FALSE(looks_like_dcso(bytes));
  }
}

TEST(Dcso, BitsPastTheEndAreRefused) {
  Bytes bytes = good_bytes();
  bytes[71] = std::byte{0x80};  // bit 191 of 191
  EXPECT_EQ(decoded(bytes).error().code, ErrorCode::kMalformed);
}

TEST(Dcso, MergeIsThePeersJoin) {
  DcsoFilter a = made(20, 0.01);
  DcsoFilter b = made(20, 0.01);
  a.insert(bytes_of("a"));
  b.insert(bytes_of("b"));
  b.data = from_hex("00");
  ASSERT_TRUE(a.merge(b));
  EXPECT_TRUE(a.may_contain(bytes_of("a")) && a.may_contain(bytes_of("b")));
  EXPECT_EQ(a.filter.provenance().keys_inserted, 2U);
  EXPECT_TRUE(a.data.empty());
  EXPECT_FALSE(a.merge(made(21, 0.01)));
  DcsoFilter other_goal = made(20, 0.01);
  other_goal.goal_keys = 19;
  EXPECT_FALSE(a.merge(other_goal)) << "the goals differ, though the shapes do not";
}

TEST(Dcso, AMergeWhoseCountOverflowsChangesNothing) {
  DcsoFilter a = *decoded(with_field(5, UINT64_MAX));
  DcsoFilter b = made(20, 0.01);
  b.insert(bytes_of("b"));
  const Bytes before = encode_dcso(a);
  EXPECT_EQ(a.merge(b).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(encode_dcso(a), before);
}

TEST(Dcso, CloneAndFoldKeepWhatTheFileCarries) {
  DcsoFilter filter = *decoded(with_field(0, 0x0301));
  filter.data = from_hex("beef");
  EXPECT_EQ(encode_dcso(filter.clone()), encode_dcso(filter));
  const auto folded = filter.fold(191);
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_EQ(folded->filter.size_bits(), 1U);
  EXPECT_EQ(folded->flags, 0x0301U);
  EXPECT_EQ(folded->data, filter.data);
  EXPECT_TRUE(folded->may_contain(bytes_of("a")));
}

TEST(Dcso, LooksLikeOneWithItsVersionItsWordsAndAGoal) {
  EXPECT_TRUE(looks_like_dcso(good_bytes()));
  EXPECT_FALSE(looks_like_dcso(cut(good_bytes().size() - 1)));
  EXPECT_FALSE(looks_like_dcso(with_field(0, 2)));
  EXPECT_FALSE(looks_like_dcso(with_field(1, 0)));
  EXPECT_FALSE(looks_like_dcso({}));
  EXPECT_FALSE(
      looks_like_dcso(gzipped(bytes_of("some text of more than forty-eight bytes in all"
                                       ", compressed"))));
}

TEST(Dcso, CreateHonoursTheLimit) {
  CreateOptions options{.sizing = {.keys = 1'000'000'000, .rate = 0.01}};
  EXPECT_EQ(create_dcso(options).error().code, ErrorCode::kTooLarge);
  options.sizing = {.bits = 64, .probes = 3};
  EXPECT_EQ(create_dcso(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(Dcso, UserDataIsMentioned) {
  DcsoFilter filter = made(20, 0.01);
  EXPECT_TRUE(describe(filter).notes.empty());
  filter.data = from_hex("00");
  EXPECT_EQ(describe(filter).notes.size(), 1U);
}

TEST(Dcso, TheDocumentedVectorHolds) {
  DcsoFilter filter = made(10, 0.01);
  filter.insert(bytes_of("hello"));
  EXPECT_EQ(testing::to_hex(encode_dcso(filter)),
            "01000000000000000a000000000000007b14ae47e17a843f0700000000000000"
            "5f00000000000000010000000000000000002000402a00000404000000000000");
}

TEST(Dcso, SurvivesHostileBytes) {
  const DecodeOptions small{.limits = {.max_bytes = 1 << 20}};
  const auto decode = [&](ByteView bytes) { return decode_dcso(bytes, small); };
  testing::survive_hostile_bytes(good_bytes(), decode);
  testing::survive_hostile_bytes(gzipped(good_bytes()), decode);
}

}  // namespace
}  // namespace bloomery
