#include "bloomery/funnel/funnel.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/funnel/hex.h"

namespace bloomery {

struct Foreign {  // a type that cannot be touched
  std::uint16_t port;
};
struct ForeignFunnel {
  using Key = Foreign;
  void operator()(const Foreign& key, ByteSink& sink) const { sink.put_u16(key.port); }
};
template <>
struct FunnelOf<Foreign> {
  using Type = ForeignFunnel;
};

namespace {

template <Funnel F>
std::string poured(const typename F::Key& key, ByteOrder order = ByteOrder::kLittle) {
  ByteSink sink{order};
  F{}(key, sink);
  return hex(sink.bytes());
}

std::u16string units_of(const std::string& hex_units) {
  std::u16string text;
  for (std::size_t i = 0; i < hex_units.size(); i += 4)
    text += static_cast<char16_t>(std::stoul(hex_units.substr(i, 4), nullptr, 16));
  return text;
}

std::vector<std::int32_t> integers_of(const std::string& list) {
  std::vector<std::int32_t> numbers;
  std::istringstream in{list};
  for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::stoi(number));
  return numbers;
}

std::string bytes_from(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoul(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string pour_golden(const std::string& funnel, const std::string& key) {
  using Pour = std::string (*)(const std::string&);
  static const std::map<std::string, Pour> kPours = {
      {"i8",
       [](const std::string& k) {
         return poured<I8Funnel>(static_cast<std::int8_t>(std::stoi(k)));
       }},
      {"i16",
       [](const std::string& k) {
         return poured<I16Funnel>(static_cast<std::int16_t>(std::stoi(k)));
       }},
      {"i32", [](const std::string& k) { return poured<I32Funnel>(std::stoi(k)); }},
      {"i64", [](const std::string& k) { return poured<I64Funnel>(std::stoll(k)); }},
      {"f32",
       [](const std::string& k) { return poured<F32Funnel>(std::strtof(k.c_str(), nullptr)); }},
      {"f64",
       [](const std::string& k) { return poured<F64Funnel>(std::strtod(k.c_str(), nullptr)); }},
      {"bool", [](const std::string& k) { return poured<BoolFunnel>(k == "true"); }},
      {"chars", [](const std::string& k) { return poured<Utf16Funnel>(units_of(k)); }},
      {"utf8", [](const std::string& k) { return poured<Utf16ToUtf8Funnel>(units_of(k)); }},
      {"bytes", [](const std::string& k) { return poured<BytesFunnel>(bytes_of(bytes_from(k))); }},
      {"seqint",
       [](const std::string& k) { return poured<SequenceFunnel<I32Funnel>>(integers_of(k)); }},
  };
  return kPours.at(funnel)(key);
}

TEST(Funnel, PoursTheBytesThatGuavaPours) {
  const auto golden = nlohmann::json::parse(std::ifstream{BLOOMERY_GOLDEN_DIR "/funnels.json"});
  ASSERT_EQ(golden["rows"].size(), 77u);
  for (const auto& row : golden["rows"])
    EXPECT_EQ(pour_golden(row[0], row[1]), row[2].get<std::string>()) << row;
}

TEST(Funnel, PoursUnsignedIntegersOfEachWidth) {
  EXPECT_EQ(poured<U8Funnel>(0xfe), "fe");
  EXPECT_EQ(poured<U16Funnel>(0xfedc), "dcfe");
  EXPECT_EQ(poured<U32Funnel>(0xfedcba98), "98badcfe");
  EXPECT_EQ(poured<U64Funnel>(0xfedcba9876543210), "1032547698badcfe");
}

TEST(Funnel, PoursUtf8AsItIsEvenWhereItIsInvalid) {
  EXPECT_EQ(poured<Utf8Funnel>("a\xff\xc3\xa4"), "61ffc3a4");
}

TEST(Funnel, PoursUtf16BigEndianIntoABigEndianSink) {
  EXPECT_EQ(poured<Utf16Funnel>(u"a\x4e2d", ByteOrder::kBig), "00614e2d");
  EXPECT_EQ(poured<Utf16ToUtf8Funnel>(u"a\x4e2d", ByteOrder::kBig), "61e4b8ad");
}

TEST(SequenceFunnel, PoursAnyRangeWithoutSeparators) {
  const std::vector<std::string> words = {"ab", "", "c"};
  ByteSink sink;
  sink.put(SequenceFunnel<Utf8Funnel>{}, words);
  EXPECT_EQ(text_of(sink.bytes()), "abc");
}

TEST(SequenceFunnel, OfTwoIntsIsTheLongWithTheSameBytes) {
  const std::int32_t pair[] = {1, 2};
  EXPECT_EQ(poured<SequenceFunnel<I32Funnel>>(pair), poured<I64Funnel>(0x0000000200000001));
}

struct Flag {
  bool value;
};
struct FlagFunnel {
  using Key = Flag;
  void operator()(const Flag& flag, ByteSink& sink) const { sink.put_bool(flag.value); }
};
struct Record {
  std::string name;
  std::int32_t number;
  Flag flag;
  struct Pour {
    using Key = Record;
    void operator()(const Record& record, ByteSink& sink) const {
      sink.put(Utf8Funnel{}, record.name);
      sink.put(I32Funnel{}, record.number);
      sink.put(FlagFunnel{}, record.flag);
    }
  };
  using Funnel = Pour;
};

// Bytes as the C# design's own program printed them: PutString(AAA).PutInt(123).PutObject(bool
// true).
TEST(Funnel, ComposesNestedObjectsInEitherByteOrder) {
  const Record record{"AAA", 123, {true}};
  EXPECT_EQ(poured<Record::Pour>(record, ByteOrder::kBig), "4141410000007b01");
  EXPECT_EQ(poured<Record::Pour>(record), "4141417b00000001");
}

TEST(DefaultFunnel, IsFoundForEachKindOfKey) {
  static_assert(std::same_as<DefaultFunnel<std::string>, Utf8Funnel>);
  static_assert(std::same_as<DefaultFunnel<std::string_view>, Utf8Funnel>);
  static_assert(std::same_as<DefaultFunnel<ByteView>, BytesFunnel>);
  static_assert(std::same_as<DefaultFunnel<bool>, BoolFunnel>);
  static_assert(std::same_as<DefaultFunnel<std::int16_t>, I16Funnel>);
  static_assert(std::same_as<DefaultFunnel<std::uint64_t>, U64Funnel>);
  static_assert(std::same_as<DefaultFunnel<float>, F32Funnel>);
  static_assert(std::same_as<DefaultFunnel<double>, F64Funnel>);
  static_assert(std::same_as<DefaultFunnel<Record>, Record::Pour>);
  static_assert(std::same_as<DefaultFunnel<Foreign>, ForeignFunnel>);
  EXPECT_EQ(poured<DefaultFunnel<long long>>(-2), "feffffffffffffff");
  EXPECT_EQ(poured<DefaultFunnel<Foreign>>({.port = 258}), "0201");
}

struct Stateful {
  using Key = std::uint64_t;
  void operator()(Key value, ByteSink& sink) const { sink.put_u64(value ^ salt); }
  std::uint64_t salt = 0;
};
struct Keyless {
  void operator()(std::uint64_t value, ByteSink& sink) const { sink.put_u64(value); }
};

TEST(Funnel, HasAKeyAndNoState) {
  static_assert(Funnel<U64Funnel> && Funnel<SequenceFunnel<Utf8Funnel>> && Funnel<Record::Pour>);
  static_assert(!Funnel<Stateful>, "two programs cannot name a funnel with a salt inside");
  static_assert(!Funnel<Keyless>);
  static_assert(ViewFunnel<Utf8Funnel> && ViewFunnel<BytesFunnel> && !ViewFunnel<U64Funnel>);
}

}  // namespace
}  // namespace bloomery
