#include "bloomery/formats/guava.h"

#include <cmath>

#include "bloomery/funnel/funnel.h"
#include "tests/formats/golden.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using nlohmann::json;
using testing::Bytes;
using testing::from_hex;

template <class F>
Bytes poured(const F& pour, const auto& key) {
  ByteSink sink;
  pour(key, sink);
  return {sink.bytes().begin(), sink.bytes().end()};
}

Bytes chars_key(const std::string& big_endian_hex) {
  const Bytes raw = from_hex(big_endian_hex);
  std::u16string text;
  for (std::size_t i = 0; i + 1 < raw.size(); i += 2)
    text.push_back(static_cast<char16_t>(load_be<std::uint16_t>(raw.data() + i)));
  return poured(Utf16Funnel{}, text);
}

Bytes sequence_key(const std::string& numbers) {
  std::vector<std::int32_t> parts;
  std::istringstream in{numbers == "." ? "" : numbers};
  for (std::string part; std::getline(in, part, ',');) parts.push_back(std::stoi(part));
  return poured(SequenceFunnel<I32Funnel>{}, parts);
}

// A golden key as the peer's funnel encoded it.
Bytes key_bytes(const std::string& funnel, const std::string& key) {
  if (funnel == "int") return poured(I32Funnel{}, std::stoi(key));
  if (funnel == "long") return poured(I64Funnel{}, std::int64_t{std::stoll(key)});
  if (funnel == "chars") return chars_key(key);
  if (funnel == "seqint") return sequence_key(key);
  EXPECT_TRUE(funnel == "utf8" || funnel == "bytes") << funnel;
  return from_hex(key);
}

std::string hex_or_dash(const Bytes& bytes) {
  return bytes.empty() ? std::string{"-"} : testing::to_hex(bytes);
}

// The case with its typed keys replaced by their bytes, which check_golden understands.
json with_poured_keys(json one) {
  const std::string funnel = one.at("params").at("funnel");
  for (auto& key : one.at("keys")) key = hex_or_dash(key_bytes(funnel, key.get<std::string>()));
  for (auto& answer : one.at("answers"))
    answer.at(0) = hex_or_dash(key_bytes(funnel, answer.at(0).get<std::string>()));
  return one;
}

CreateOptions options_of(const json& params, GuavaRelease release) {
  CreateOptions options;
  options.sizing.keys = std::stoull(params.at("expectedInsertions").get<std::string>());
  options.sizing.rate = std::stod(params.at("fpp").get<std::string>());
  options.guava_release = release;
  return options;
}

template <Dialect D>
Result<ClassicFilter<D>> decode_as(ByteView bytes) {
  auto filter = decode_guava(bytes, {});
  if (!filter) return filter.error();
  auto* held = std::get_if<ClassicFilter<D>>(&*filter);
  if (held == nullptr) return Error{ErrorCode::kMalformed, "the other strategy"};
  return std::move(*held);
}

// What the peer says of itself: which puts changed a bit, its rate and its estimate of keys.
template <Dialect D>
void check_reports(const json& one, ClassicFilter<D> filter) {
  const json& reports = one.at("peer_reports");
  EXPECT_EQ(filter.shape().bits, reports.at("bits").get<std::uint64_t>());
  EXPECT_EQ(filter.shape().probes, reports.at("k").get<std::uint32_t>());
  std::string changed;
  for (const auto& key : one.at("keys"))
    changed += filter.insert(from_hex(key.get<std::string>())) ? '1' : '0';
  EXPECT_EQ(changed, reports.at("putReturned").get<std::string>());
  const Health health = filter.health();
  const double rate = reports.at("expectedFpp");
  EXPECT_NEAR(health.error_rate, rate, rate * 1e-9);
  if (!reports.at("approxCount").is_number()) return;  // the peer throws when every bit is set
  EXPECT_EQ(std::floor(health.estimated_keys + 0.5), reports.at("approxCount").get<double>());
}

template <Dialect D>
void check_release(const json& one, GuavaRelease release) {
  const auto empty = create_guava<D>(options_of(one.at("params"), release));
  if (one.at("bytes_hex").is_null()) {
    EXPECT_FALSE(empty);
    return;
  }
  ASSERT_TRUE(empty) << empty.error().message;
  const json poured_case = with_poured_keys(one);
  testing::check_golden(poured_case, empty->clone(), decode_as<D>,
                        [](const auto& filter) { return *encode_guava(filter); });
  check_reports(poured_case, empty->clone());
}

template <Dialect D>
void check_case(json one) {
  check_release<D>(one, GuavaRelease::k31);
  if (one.contains("bytes_hex_guava_33_4_plus"))
    for (const auto* member : {"bytes_hex", "answers", "peer_reports"})
      one[member] = one.at(std::string{member} + "_guava_33_4_plus");
  check_release<D>(one, GuavaRelease::k33_4);
}

TEST(Guava, GoldenFiltersOfBothStrategiesAndReleasesAgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/guava.json");
  ASSERT_EQ(golden.at("filters").size(), 32U);
  for (const auto& one : golden.at("filters")) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    if (one.at("params").at("strategy") == "64") {
      check_case<GuavaMitz64>(one);
    } else {
      check_case<GuavaMitz32>(one);
    }
  }
}

TEST(Guava, ASequenceOfIntsIsTheLongOfItsBytes) {
  EXPECT_EQ(key_bytes("seqint", "1,2"), key_bytes("long", std::to_string(0x0000000200000001)));
  EXPECT_TRUE(key_bytes("seqint", ".").empty());
}

void check_read_error_case(const std::string& name, const Bytes& bytes,
                           const std::string& outcome) {
  ByteReader reader{bytes};
  const auto read = read_guava(reader, {});
  const auto decoded = decode_guava(bytes, {});
  if (!outcome.starts_with("ok")) {
    EXPECT_FALSE(read);
    EXPECT_FALSE(decoded);
    return;
  }
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<ClassicFilter<GuavaMitz64>>(*read).may_contain(key_bytes("int", "0")),
            outcome.ends_with("mightContain(0)=true"));
  EXPECT_EQ(decoded.has_value(), name != "trailing byte ignored");
}

void check_create_error_case(const std::string& name, const std::string& outcome) {
  double keys = 0;
  double rate = 0;
  ASSERT_EQ(std::sscanf(name.c_str(), "create n=%lf p=%lf", &keys, &rate), 2);
  if (keys < 0) return;  // a number of keys is unsigned here
  const Goal goal{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(keys)), rate};
  const auto shape = shape_for_release(goal, GuavaRelease::k31);
  unsigned long bits = 0;
  if (std::sscanf(outcome.c_str(), "ok bits=%lu", &bits) == 1) {
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_EQ(shape->bits, bits);
  } else {
    EXPECT_FALSE(shape);
  }
}

// read_guava leaves what follows, as the peer; decode_guava is for whole files and refuses it.
TEST(Guava, ErrorCasesAreErrorsAndTheOthersAnswerAsThePeer) {
  const auto golden = testing::golden_json("formats/guava.json");
  ASSERT_EQ(golden.at("error_cases").size(), 30U);
  for (const auto& one : golden.at("error_cases")) {
    const std::string name = one.at(0);
    SCOPED_TRACE(name);
    if (name.starts_with("create")) {
      check_create_error_case(name, one.at(2));
    } else if (!name.starts_with("putAll")) {
      check_read_error_case(name, from_hex(one.at(1)), one.at(2));
    }
  }
}

ClassicFilter<GuavaMitz64> filter_for(std::uint64_t keys) {
  return std::move(*create_guava<GuavaMitz64>({.sizing = {.keys = keys, .rate = 0.01}}));
}

// The putAll cases. The peer refuses a filter's union with itself; here it changes no bit.
TEST(Guava, OnlyFiltersOfOneSizeAreMerged) {
  auto a = filter_for(100);
  auto b = filter_for(100);
  a.insert(bytes_of("a"));
  b.insert(bytes_of("b"));
  EXPECT_FALSE(a.may_contain(bytes_of("b")));
  ASSERT_TRUE(a.merge(b));
  EXPECT_TRUE(a.may_contain(bytes_of("a")) && a.may_contain(bytes_of("b")));
  EXPECT_FALSE(a.merge(filter_for(200)));
  const auto before = a.clone();
  EXPECT_TRUE(a.merge(a));
  EXPECT_EQ(a, before);
}

TEST(Guava, CreateRaisesNoKeysToOneAndRefusesAPlanBeyondTheLimit) {
  const auto none = create_guava<GuavaMitz64>({.sizing = {.keys = 0, .rate = 0.5}});
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(none->shape(), (Shape{64, 1}));
  EXPECT_EQ(none->provenance().goal, (Goal{1, 0.5}));
  CreateOptions large{.sizing = {.keys = 1'000'000'000, .rate = 0.01}};
  large.limits.max_bytes = 1 << 20;
  EXPECT_EQ(create_guava<GuavaMitz64>(large).error().code, ErrorCode::kTooLarge);
  EXPECT_FALSE(create_guava<GuavaMitz32>({.sizing = {.bits = 64, .probes = 3}}));
  EXPECT_FALSE(create_guava<GuavaMitz32>({.sizing = {.keys = 10}}));
}

TEST(Guava, DecodeRefusesTrailingBytesAndReadLeavesThem) {
  Bytes bytes = *encode_guava(filter_for(3));
  const std::size_t size = bytes.size();
  bytes.push_back(std::byte{0x99});
  EXPECT_EQ(decode_guava(bytes, {}).error().code, ErrorCode::kMalformed);
  ByteReader reader{bytes};
  EXPECT_TRUE(read_guava(reader, {}));
  EXPECT_EQ(reader.position(), size);
}

TEST(Guava, EncodeRefusesAShapeThatTheBytesCannotCarry) {
  EXPECT_TRUE(encode_guava(ClassicFilter<GuavaMitz64>{Shape{128, 255}}));
  EXPECT_EQ(encode_guava(ClassicFilter<GuavaMitz64>{Shape{128, 256}}).error().code,
            ErrorCode::kUnsupported);
  EXPECT_FALSE(encode_guava(ClassicFilter<GuavaMitz64>{Shape{100, 3}}));
  EXPECT_FALSE(encode_guava(ClassicFilter<GuavaMitz32>{Shape{64, 0}}));
}

TEST(Guava, LooksLikeGuavaOnlyWithItsExactLength) {
  Bytes bytes = *encode_guava(filter_for(3));
  EXPECT_TRUE(looks_like_guava(bytes));
  EXPECT_FALSE(looks_like_guava(ByteView{bytes}.first(bytes.size() - 1)));
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(looks_like_guava(bytes));
  EXPECT_FALSE(looks_like_guava(from_hex("0206000000011002200040008001")));
  EXPECT_FALSE(looks_like_guava(from_hex("0100000000011002200040008001")));
  EXPECT_FALSE(looks_like_guava({}));
}

TEST(Guava, AFileKnowsNeitherItsGoalNorItsCount) {
  const auto filter = decode_as<GuavaMitz64>(*encode_guava(filter_for(3)));
  ASSERT_TRUE(filter);
  const Description description = describe(*filter);
  EXPECT_EQ(description.format, "guava");
  EXPECT_EQ(description.dialect, "guava-mitz64");
  EXPECT_FALSE(description.goal);
  EXPECT_FALSE(description.keys_inserted);
}

TEST(Guava, Mitz32BeyondItsReachIsDescribedAsTheSmallerFilterItIs) {
  constexpr std::uint64_t kReach = std::uint64_t{1} << 31;
  ClassicFilter<GuavaMitz32> large{Shape{kReach + 64, 7}};
  for (int i = 0; i < 20; ++i) large.insert(poured(I32Funnel{}, i));
  const Description description = describe(large);
  ASSERT_EQ(description.notes.size(), 1U);
  EXPECT_EQ(description.bits, kReach + 64);
  EXPECT_LE(end_of_ones(large.bytes()), kReach);
  const auto ones = static_cast<double>(count_ones(large.bytes()));
  EXPECT_EQ(description.health->fill, ones / static_cast<double>(kReach));
  EXPECT_TRUE(describe(ClassicFilter<GuavaMitz32>{Shape{640, 7}}).notes.empty());
}

// A Java array has 2^31 - 1 words at most.
TEST(Guava, AFilterOfMoreWordsThanAnArrayHoldsIsRefused) {
  const auto largest = shape_for_release({14'338'874'944, 0.01}, GuavaRelease::k31);
  ASSERT_TRUE(largest) << largest.error().message;
  EXPECT_EQ(largest->bits, ((std::uint64_t{1} << 31) - 1) * 64);
  EXPECT_EQ(shape_for_release({14'338'874'945, 0.01}, GuavaRelease::k31).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(decode_guava(from_hex("01067fffffff"), {}).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(decode_guava(from_hex("010680000000"), {}).error().code, ErrorCode::kMalformed);
}

TEST(Guava, TheDocumentedVectorHolds) {
  CreateOptions options{.sizing = {.keys = 1, .rate = 0.01}};
  options.guava_release = GuavaRelease::k31;
  auto filter = *create_guava<GuavaMitz64>(options);
  filter.insert(poured(I32Funnel{}, 0));
  EXPECT_EQ(testing::to_hex(*encode_guava(filter)), "0106000000011002200040008001");
}

TEST(Guava, SurvivesHostileBytes) {
  const DecodeOptions small{.limits = {.max_bytes = 1 << 20}};
  for (const auto* hex :
       {"0106000000011002200040008001", "00070000000232b326c94d5cd1ad0000000000000001"})
    testing::survive_hostile_bytes(
        from_hex(hex), [&](ByteView bytes) { return decode_guava(bytes, small); },
        [](const GuavaFilter& filter) {
          std::visit([](const auto& held) { (void)held.may_contain(bytes_of("a key")); }, filter);
        });
}

TEST(Guava, DecodeHonoursTheLimit) {
  const Bytes bytes = *encode_guava(filter_for(100));
  EXPECT_TRUE(decode_guava(bytes, {.limits = {.max_bytes = 120}}));
  EXPECT_EQ(decode_guava(bytes, {.limits = {.max_bytes = 119}}).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace bloomery
