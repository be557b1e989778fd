#include "bloomery/formats/bits_and_blooms.h"

#include <map>

#include "tests/formats/golden.h"
#include "tests/formats/hostile.h"
#include "tests/formats/peer_cases.h"

namespace bloomery {
namespace {

using nlohmann::json;
using testing::Bytes;
using testing::from_hex;
using Current = BitsAndBloomsFilter<BitsAndBlooms>;

CreateOptions options_of(const json& params) {
  CreateOptions options;
  const std::string a = params.at("a");
  const std::string b = params.at("b");
  if (params.at("mode") == "e") {
    options.sizing.keys = std::stoull(a);
    options.sizing.rate = std::stod(b);
  } else {
    options.sizing.bits = std::stoull(a);
    options.sizing.probes = static_cast<std::uint32_t>(std::stoul(b));
  }
  return options;
}

template <Dialect D>
void check_case(const json& one) {
  SCOPED_TRACE(one.at("id").get<std::string>());
  auto empty = create_bits_and_blooms<D>(options_of(one.at("params")));
  ASSERT_TRUE(empty) << empty.error().message;
  testing::expect_peers_shape(empty->filter.shape(), one.at("peer_reports"));
  testing::check_golden(
      one, std::move(*empty), [](ByteView bytes) { return decode_bits_and_blooms<D>(bytes, {}); },
      encode_bits_and_blooms<D>);

  const std::string text = one.at("peer_reports").at("json");
  const Bytes binary = from_hex(one.at("bytes_hex"));
  const auto from_json = decode_bits_and_blooms_json<D>(bytes_of(text), {});
  ASSERT_TRUE(from_json) << from_json.error().message;
  EXPECT_EQ(encode_bits_and_blooms(*from_json), binary);
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(*decode_bits_and_blooms<D>(binary, {}))), text);
}

TEST(BitsAndBlooms, GoldenFiltersAgreeWithThePeerInBinaryAndJson) {
  const auto golden = testing::golden_json("formats/willf.json");
  ASSERT_EQ(golden.at("filters").size(), 14U);
  for (const auto& one : golden.at("filters")) check_case<BitsAndBlooms>(one);
}

TEST(BitsAndBlooms, GoldenFiltersOfVersion200AgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/willf-legacy-v2.0.0.json");
  ASSERT_EQ(golden.at("filters").size(), 15U);
  for (const auto& one : golden.at("filters")) check_case<BitsAndBloomsV2>(one);
}

TEST(BitsAndBlooms, AnswersOfVersion100AgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/willf-legacy-v1.0.0.json");
  ASSERT_EQ(golden.at("filters").size(), 15U);
  for (const auto& one : golden.at("filters")) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const SizingRequest sizing = options_of(one.at("params")).sizing;
    const auto shape = sizing.keys ? BitsAndBloomsV1::shape_for({*sizing.keys, *sizing.rate})
                                   : Result<Shape>{Shape{*sizing.bits, *sizing.probes}};
    ASSERT_TRUE(shape) << shape.error().message;
    testing::expect_peers_shape(*shape, one.at("peer_reports"));
    ClassicFilter<BitsAndBloomsV1> filter{*shape};
    for (const auto& key : one.at("keys")) filter.insert(from_hex(key));
    for (const auto& answer : one.at("answers"))
      EXPECT_EQ(filter.may_contain(from_hex(answer.at(0))), answer.at(1) == 1) << answer.at(0);
  }
}

// Where the peer answers with a filter of no bits, of 2^63 probes or for an impossible rate, we
// refuse.
TEST(BitsAndBlooms, EstimatedParametersAreThePeersOrRefused) {
  const auto golden = testing::golden_json("formats/willf.json");
  ASSERT_EQ(golden.at("estimate_parameters").size(), 10U);
  int equal = 0;
  for (const auto& one : golden.at("estimate_parameters")) {
    SCOPED_TRACE(one.at(0).get<std::string>());
    const auto sizing = testing::peer_sizing(one);
    ASSERT_TRUE(sizing.has_shape);
    const bool refused = sizing.keys < 1 || sizing.rate <= 0 || sizing.rate >= 1;
    equal += testing::expect_peers_sizing<BitsAndBlooms>(sizing, refused) ? 1 : 0;
  }
  EXPECT_EQ(equal, 6);
}

Current made(std::uint64_t bits, std::uint32_t probes) {
  return std::move(*create_bits_and_blooms({.sizing = {.bits = bits, .probes = probes}}));
}

Bytes good_bytes() {  // the filter of the peer's read cases
  Current filter = made(200, 3);
  filter.insert(bytes_of("a"));
  return encode_bits_and_blooms(filter);
}

Bytes with_field(std::size_t index, std::uint64_t value) {
  Bytes bytes = good_bytes();
  store_be(bytes.data() + index * 8, value);
  return bytes;
}

Bytes cut(std::size_t size) { return testing::cut(good_bytes(), size); }

Bytes followed_by(const Bytes& more) {
  Bytes bytes = good_bytes();
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

std::map<std::string, Bytes> read_cases() {
  return {{"good", good_bytes()},
          {"empty", {}},
          {"cut 4", cut(4)},
          {"cut 8", cut(8)},
          {"cut 16", cut(16)},
          {"cut 20", cut(20)},
          {"cut 24 (no words)", cut(24)},
          {"cut mid word 28", cut(28)},
          {"cut 32 (1 of 4 words)", cut(32)},
          {"cut last byte", cut(55)},
          {"trailing 8 bytes", followed_by(Bytes(8))},
          {"two filters back to back", followed_by(good_bytes())},
          {"bitset length 1000 > data", with_field(2, 1000)},
          {"m=0", with_field(0, 0)},
          {"k=0", with_field(1, 0)},
          {"m=1000 > bitset length 200", with_field(0, 1000)},
          {"bitset length 64 < m", with_field(2, 64)},
          {"bitset length 2^63", with_field(2, std::uint64_t{1} << 63)}};
}

// The strictest of the peer's versions, v3.7.1, as a stream reader; only k=0, which it takes for a
// filter that answers "maybe" to all, is refused here.
TEST(BitsAndBlooms, ReadCasesEndAsInThePeersStrictestVersion) {
  const auto golden = testing::golden_json("formats/willf.json");
  const auto cases = read_cases();
  ASSERT_EQ(golden.at("read_error_cases").at("rows").size(), cases.size());
  for (const auto& row : golden.at("read_error_cases").at("rows")) {
    const std::string name = row.at(0);
    const std::string outcome = row.at(4);
    SCOPED_TRACE(name);
    const Bytes& bytes = cases.at(name);
    ByteReader reader{bytes};
    const auto filter = read_bits_and_blooms(reader, {});
    if (outcome.find(": ok") == std::string::npos || name == "k=0") {
      EXPECT_FALSE(filter);
      continue;
    }
    ASSERT_TRUE(filter) << filter.error().message;
    testing::expect_peers_answers(*filter, outcome);
    EXPECT_NE(outcome.find("n=" + std::to_string(reader.position()) + " "), std::string::npos);
  }
}

TEST(BitsAndBlooms, DecodeRefusesTrailingBytes) {
  EXPECT_TRUE(decode_bits_and_blooms(good_bytes(), {}));
  EXPECT_EQ(decode_bits_and_blooms(followed_by(Bytes(1)), {}).error().code, ErrorCode::kMalformed);
}

TEST(BitsAndBlooms, FiltersOneAfterTheOtherAreAppendedAndRead) {
  Current second = made(77, 2);
  second.insert(bytes_of("b"));
  ByteWriter writer;
  append_bits_and_blooms(writer, *decode_bits_and_blooms(good_bytes(), {}));
  append_bits_and_blooms(writer, second);
  const Bytes bytes = writer.take();
  ByteReader reader{bytes};
  const auto a = read_bits_and_blooms(reader, {});
  const auto b = read_bits_and_blooms(reader, {});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_TRUE(a->may_contain(bytes_of("a")));
  EXPECT_FALSE(b->may_contain(bytes_of("a")));
  EXPECT_EQ(b->filter, second.filter);
}

// New(0, 0) has one bit, but a bitset of none until the first key.
TEST(BitsAndBlooms, AnEmptyBitsetGrowsWithTheFirstKey) {
  const Bytes bytes = from_hex("000000000000000100000000000000010000000000000000");
  auto filter = decode_bits_and_blooms(bytes, {});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(encode_bits_and_blooms(*filter), bytes);
  EXPECT_FALSE(filter->may_contain(bytes_of("a")));
  filter->insert(bytes_of("a"));
  EXPECT_EQ(testing::to_hex(encode_bits_and_blooms(*filter)),
            "0000000000000001000000000000000100000000000000010000000000000001");
}

TEST(BitsAndBlooms, ALongerBitsetKeepsItsBytesAndEarnsANote) {
  // 10 bits, 1 probe, a bitset of 130: bits 10 and 129 belong to no key.
  const Bytes bytes = from_hex(
      "000000000000000a000000000000000100000000000000820000000000000403"
      "00000000000000000000000000000002");
  auto filter = decode_bits_and_blooms(bytes, {});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(encode_bits_and_blooms(*filter), bytes);
  EXPECT_EQ(count_ones(filter->filter.bytes()), 2U);
  EXPECT_EQ(describe(*filter).notes.size(), 2U);
  EXPECT_EQ(describe(*decode_bits_and_blooms(good_bytes(), {})).notes.size(), 1U);

  Current shorter = made(10, 1);
  ASSERT_TRUE(shorter.merge(*filter));
  EXPECT_EQ(encode_bits_and_blooms(shorter), bytes);
  EXPECT_EQ(encode_bits_and_blooms(filter->clone()), bytes);
}

// A filter may end in the middle of a word of its bitset, or between two.
TEST(BitsAndBlooms, ALongerBitsetKeepsItsBytesWhereverTheFilterEnds) {
  for (const std::uint64_t bits : {1U, 63U, 64U, 65U, 126U, 127U, 128U, 130U, 191U, 192U, 255U}) {
    ByteWriter writer;
    for (const std::uint64_t number : {bits, std::uint64_t{1}, std::uint64_t{256}})
      writer.be(number);
    for (const std::uint64_t word : {0x1111U, 0x2222U, 0x4444U, 0x8888U})
      writer.be(word << 48 | word);
    const Bytes bytes = writer.take();
    const auto filter = decode_bits_and_blooms(bytes, {});
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_EQ(testing::to_hex(encode_bits_and_blooms(*filter)), testing::to_hex(bytes)) << bits;
  }
}

TEST(BitsAndBlooms, BitsPastTheBitsetAreRefused) {
  Bytes bytes = good_bytes();
  bytes[48] = std::byte{1};  // bit 248 of a bitset of 200
  EXPECT_EQ(decode_bits_and_blooms(bytes, {}).error().code, ErrorCode::kMalformed);
}

TEST(BitsAndBlooms, ALittleEndianBitsetIsReadAndWrittenAsSuch) {
  Current filter = *decode_bits_and_blooms(good_bytes(), {});
  filter.encoding.little_endian = true;
  const Bytes bytes = encode_bits_and_blooms(filter);
  EXPECT_EQ(testing::to_hex(ByteView{bytes}.first(24)),
            "00000000000000c80000000000000003c800000000000000");
  EXPECT_TRUE(looks_like_bits_and_blooms(bytes));
  const auto back = decode_bits_and_blooms(bytes, {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->filter, filter.filter);
  EXPECT_EQ(encode_bits_and_blooms(*back), bytes);
}

TEST(BitsAndBlooms, MergeNeedsOneShape) {
  Current a = made(200, 3);
  EXPECT_FALSE(a.merge(made(201, 3)));
  EXPECT_FALSE(a.merge(made(200, 4)));
  EXPECT_TRUE(a.merge(*decode_bits_and_blooms(good_bytes(), {})));
  EXPECT_TRUE(a.may_contain(bytes_of("a")));
}

TEST(BitsAndBlooms, AFoldedFilterHasABitsetOfItsOwnLength) {
  const auto folded = decode_bits_and_blooms(good_bytes(), {})->fold(2);
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_TRUE(folded->may_contain(bytes_of("a")));
  const auto back = decode_bits_and_blooms(encode_bits_and_blooms(*folded), {});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->bitset_length, 100U);
}

TEST(BitsAndBlooms, CreateRefusesWhatThePeerCannotUse) {
  const auto create = [](SizingRequest sizing) {
    return create_bits_and_blooms({.sizing = sizing, .limits = {.max_bytes = 1 << 20}});
  };
  EXPECT_TRUE(create({.keys = 1, .rate = 0.99}));
  EXPECT_FALSE(create({.keys = 0, .rate = 0.01}));
  EXPECT_FALSE(create({.keys = 10, .rate = 1.0}));
  EXPECT_FALSE(create({.bits = 0, .probes = 1}));
  EXPECT_FALSE(create({.bits = 10, .probes = 0}));
  EXPECT_FALSE(create({.keys = 10, .rate = 0.1, .bits = 10, .probes = 1}));
  EXPECT_FALSE(create({}));
  EXPECT_EQ(create({.keys = 10'000'000, .rate = 0.01}).error().code, ErrorCode::kTooLarge);
}

TEST(BitsAndBlooms, LooksLikeOneOnlyWithItsExactLength) {
  EXPECT_TRUE(looks_like_bits_and_blooms(good_bytes()));
  EXPECT_FALSE(looks_like_bits_and_blooms(cut(55)));
  EXPECT_FALSE(looks_like_bits_and_blooms(followed_by(Bytes(1))));
  EXPECT_FALSE(looks_like_bits_and_blooms(with_field(1, 0)));
  EXPECT_FALSE(looks_like_bits_and_blooms(Bytes(32)));
}

TEST(BitsAndBlooms, AFilterIsDescribedByItsGeneration) {
  const auto old = decode_bits_and_blooms<BitsAndBloomsV2>(good_bytes(), {});
  EXPECT_EQ(describe(*old).format, "bits-and-blooms:v2.0.0");
  EXPECT_EQ(describe(*decode_bits_and_blooms(good_bytes(), {})).format, "bits-and-blooms");
  EXPECT_FALSE(describe(*old).keys_inserted);
}

TEST(BitsAndBlooms, TheDocumentedVectorHolds) {
  Current filter = made(64, 3);
  filter.insert(bytes_of("hello"));
  EXPECT_EQ(testing::to_hex(encode_bits_and_blooms(filter)),
            "0000000000000040000000000000000300000000000000400420000000000004");
  EXPECT_EQ(text_of(encode_bits_and_blooms_json(filter)),
            R"({"m":64,"k":3,"b":"AAAAAAAAAEAEIAAAAAAABA=="})");
}

TEST(BitsAndBlooms, SurvivesHostileBytes) {
  const DecodeOptions small{.limits = {.max_bytes = 1 << 20}};
  testing::survive_hostile_bytes(
      good_bytes(), [&](ByteView bytes) { return decode_bits_and_blooms(bytes, small); },
      [](Current& filter) {
        (void)filter.may_contain(bytes_of("a key"));
        EXPECT_LE(filter.filter.size_bytes() + filter.beyond.size() * 8, (1U << 20) + 8);
        filter.insert(bytes_of("a key"));
        EXPECT_TRUE(decode_bits_and_blooms(encode_bits_and_blooms(filter), {}));
      });
}

}  // namespace
}  // namespace bloomery
