// Each encoding of Parquet's values, with vectors computed by hand from the format's document.
#include "bloomery/formats/parquet/values.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;

constexpr const char* kZeros10 = "00000000000000000000";

std::vector<std::uint32_t> hybrid(const char* hex, unsigned width, std::size_t count) {
  const Bytes bytes = from_hex(hex);
  HybridDecoder decoder{bytes, width};
  std::vector<std::uint32_t> numbers(count);
  if (!decoder.read(numbers)) numbers.clear();
  return numbers;
}

using Numbers32 = std::vector<std::uint32_t>;
using Numbers = std::vector<std::int64_t>;

TEST(ParquetHybrid, ReadsPackedGroupsAndRuns) {
  EXPECT_EQ(hybrid("0388c6fa", 3, 8), (Numbers32{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(hybrid("0a04", 3, 5), (Numbers32{4, 4, 4, 4, 4}));
  EXPECT_EQ(hybrid("0a04"
                   "0388c6fa",
                   3, 7),
            (Numbers32{4, 4, 4, 4, 4, 0, 1}));
  EXPECT_EQ(hybrid("042c01", 9, 2), (Numbers32{300, 300}));  // two bytes for nine bits
  EXPECT_EQ(hybrid("", 0, 3), (Numbers32{0, 0, 0}));
}

TEST(ParquetHybrid, EndsWhereTheBytesEnd) {
  EXPECT_EQ(hybrid("0a04", 3, 6), Numbers32{});
  EXPECT_EQ(hybrid("0388", 3, 2), (Numbers32{0, 1}));  // a group that a writer cut short
  EXPECT_EQ(hybrid("0388", 3, 3), Numbers32{});
  EXPECT_EQ(hybrid("0a", 3, 1), Numbers32{});
  EXPECT_EQ(hybrid("ffffffffffffffffff01", 32, 1), Numbers32{});
  EXPECT_EQ(hybrid("00000000", 1, 1), Numbers32{});  // empty runs
}

Result<Numbers> delta(const std::string& hex, std::size_t count, std::uint64_t most = 1000) {
  const Bytes bytes = from_hex(hex);
  auto decoder = DeltaDecoder::open(bytes, most);
  if (!decoder) return decoder.error();
  Numbers numbers(count);
  if (!decoder->read(numbers)) return Error{ErrorCode::kTruncated, "ended"};
  return numbers;
}

TEST(ParquetDelta, ReadsTheExamplesOfTheFormat) {
  const auto first = delta(
      "80010405"
      "02"
      "02"
      "00000000",
      5);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, (Numbers{1, 2, 3, 4, 5}));
  const auto second = delta(
      "80010408"
      "0e"
      "03"
      "02000000"
      "c03f000000000000",
      8);
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, (Numbers{7, 5, 3, 1, 2, 3, 4, 5}));
}

TEST(ParquetDelta, WrapsAtTheEndsOfTheRange) {
  // From the least number to the greatest: the difference is -1 modulo 2^64.
  const auto found = delta(
      "80010402"
      "ffffffffffffffffff01"
      "01"
      "00000000",
      2);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Numbers{INT64_MIN, INT64_MAX}));
}

TEST(ParquetDelta, RefusesWhatItCannotBe) {
  EXPECT_FALSE(delta("800104", 1));  // no count
  EXPECT_FALSE(
      delta("800100"
            "05"
            "02",
            1));  // no parts
  EXPECT_FALSE(
      delta("800103"
            "05"
            "02",
            1));  // parts of no whole number
  EXPECT_FALSE(
      delta("80010405"
            "02"
            "02"
            "00000000",
            5, 4));  // more than the page has
  EXPECT_FALSE(
      delta("80010405"
            "02"
            "02"
            "00000000",
            6));  // more than there are
  EXPECT_FALSE(
      delta("80010405"
            "02"
            "02"
            "41000000",
            5));  // 65 bits
  EXPECT_FALSE(
      delta("80010405"
            "02"
            "02"
            "02000000"
            "c03f",
            5));  // cut short
}

ParquetColumn column_of(ParquetType type, std::uint32_t fixed = 0) {
  ParquetColumn column;
  column.type = type;
  column.fixed_bytes = fixed;
  column.path = "c";
  return column;
}

struct Decoded {
  Bytes bytes;
  ParquetColumn column;
  Result<ParquetValueDecoder> decoder;
  Decoded(ParquetColumn of, int encoding, const std::string& hex, std::uint64_t most,
          const ParquetDictionary* dictionary = nullptr)
      : bytes{from_hex(hex)},
        column{std::move(of)},
        decoder{ParquetValueDecoder::open(column, encoding, bytes, most, dictionary)} {}
  Result<Numbers> numbers(std::size_t count) {
    if (!decoder) return decoder.error();
    Numbers found(count);
    if (auto done = decoder->read(found); !done) return done.error();
    return found;
  }
  Result<std::vector<std::string>> strings(std::size_t count) {
    if (!decoder) return decoder.error();
    std::vector<std::string> found;
    while (found.size() < count) {
      std::vector<ByteView> some(count - found.size());
      const auto got = decoder->read(some);
      if (!got) return got.error();
      for (std::size_t i = 0; i < *got; ++i) found.emplace_back(text_of(some[i]));
    }
    return found;
  }
};
using Strings = std::vector<std::string>;

template <class T>
T good(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : T{};
}

TEST(ParquetValues, ReadsPlainNumbers) {
  Decoded signed32{column_of(ParquetType::kInt32), 0, "ffffffff07000000", 2};
  EXPECT_EQ(good(signed32.numbers(2)), (Numbers{-1, 7}));
  auto column = column_of(ParquetType::kInt32);
  column.is_unsigned = true;
  Decoded unsigned32{column, 0, "ffffffff07000000", 2};
  EXPECT_EQ(good(unsigned32.numbers(2)), (Numbers{4294967295, 7}));
  Decoded long_ones{column_of(ParquetType::kInt64), 0, "feffffffffffffff", 1};
  EXPECT_EQ(good(long_ones.numbers(1)), (Numbers{-2}));
  Decoded flags{column_of(ParquetType::kBoolean), 0, "0d", 4};
  EXPECT_EQ(good(flags.numbers(4)), (Numbers{1, 0, 1, 1}));
  Decoded too_many{column_of(ParquetType::kInt64), 0, "feffffffffffffff", 2};
  EXPECT_FALSE(too_many.numbers(2));
}

TEST(ParquetValues, ReadsPlainBytes) {
  Decoded strings{column_of(ParquetType::kByteArray), 0,
                  "0200000068690000000001000000"
                  "0a",
                  3};
  EXPECT_EQ(good(strings.strings(3)), (Strings{"hi", "", "\n"}));
  Decoded fixed{column_of(ParquetType::kFixedBytes, 2), 0, "61626364", 2};
  EXPECT_EQ(good(fixed.strings(2)), (Strings{"ab", "cd"}));
  Decoded cut{column_of(ParquetType::kByteArray), 0, "ffffffff68", 1};
  EXPECT_FALSE(cut.strings(1));
}

TEST(ParquetValues, ReadsBooleansInRuns) {
  Decoded flags{column_of(ParquetType::kBoolean), 3,
                "02000000"
                "0601",
                3};
  EXPECT_EQ(good(flags.numbers(3)), (Numbers{1, 1, 1}));
  EXPECT_FALSE((Decoded{column_of(ParquetType::kBoolean), 3,
                        "03000000"
                        "0601",
                        3})
                   .decoder);
}

TEST(ParquetValues, ReadsIndexesIntoADictionary) {
  const ParquetDictionary dictionary{{10, 20, 30}, {}};
  for (const int encoding : {2, 8}) {
    Decoded numbers{column_of(ParquetType::kInt64), encoding,
                    "02"
                    "032400",
                    4, &dictionary};
    EXPECT_EQ(good(numbers.numbers(4)), (Numbers{10, 20, 30, 10}));
  }
  Decoded beyond{column_of(ParquetType::kInt64), 8,
                 "02"
                 "0203",
                 1, &dictionary};
  const auto found = beyond.numbers(1);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "its values name entry 3 of a dictionary of 3");
  EXPECT_FALSE((Decoded{column_of(ParquetType::kInt64), 8,
                        "21"
                        "0203",
                        1, &dictionary})
                   .decoder);
  EXPECT_FALSE((Decoded{column_of(ParquetType::kInt64), 8,
                        "02"
                        "0203",
                        1})
                   .decoder);
  Decoded none{column_of(ParquetType::kInt64), 8, "", 1, &dictionary};
  EXPECT_FALSE(none.numbers(1));
}

TEST(ParquetValues, ReadsLengthsBeforeBytes) {
  const std::string lengths =
      "800104020a"
      "00"
      "00000000";
  Decoded words{column_of(ParquetType::kByteArray), 6, lengths + "48656c6c6f576f726c64", 2};
  EXPECT_EQ(good(words.strings(2)), (Strings{"Hello", "World"}));
  Decoded cut{column_of(ParquetType::kByteArray), 6, lengths + "48656c6c6f576f726c", 2};
  EXPECT_FALSE(cut.strings(2));
  Decoded negative{column_of(ParquetType::kByteArray), 6, "8001040101", 1};
  EXPECT_FALSE(negative.strings(1));
}

const std::string kJoined =
    std::string{
        "8001040400"
        "03"
        "03000000"
        "4401"} +
    kZeros10 +
    "8001040408"
    "03"
    "03000000"
    "7000" +
    kZeros10 + "617869736c65626162626c6579686f6f64";

TEST(ParquetValues, JoinsPrefixesAndRests) {
  Decoded words{column_of(ParquetType::kByteArray), 7, kJoined, 4};
  EXPECT_EQ(good(words.strings(4)), (Strings{"axis", "axle", "babble", "babyhood"}));
  // A first value has nothing before it to continue.
  Decoded first{column_of(ParquetType::kByteArray), 7,
                "8001040102"
                "8001040102"
                "61",
                1};
  EXPECT_FALSE(first.strings(1));
  // Values of a fixed length have that length.
  Decoded fixed{column_of(ParquetType::kFixedBytes, 4), 7, kJoined, 4};
  EXPECT_FALSE(fixed.strings(4));
}

TEST(ParquetValues, JoinsLongValuesPieceByPiece) {
  // One value of 3 MiB, then two that continue all of it: more than one piece holds.
  const std::size_t size = std::size_t{3} << 20;
  // Prefixes: 0, size, size. The differences are size and 0: 23 bits each, packed into 32 values.
  Bytes packed(4 * 23);
  for (unsigned i = 0; i < 3; ++i) packed[i] = static_cast<std::byte>(size >> (8 * i));
  Bytes bytes = from_hex(
      "80010403"
      "00"
      "00"
      "17000000");
  bytes.insert(bytes.end(), packed.begin(), packed.end());
  // Rests: size, 0, 0. Their differences are -size and 0: the least is -size, then 0 and size.
  const Bytes head = from_hex(
      "80010403"
      "80808003"
      "ffffff02"
      "17000000");
  bytes.insert(bytes.end(), head.begin(), head.end());
  Bytes rests(4 * 23);
  for (unsigned i = 0; i < 23; ++i)
    if ((size >> i & 1U) != 0) rests[(23 + i) / 8] |= std::byte{1} << ((23 + i) % 8);
  bytes.insert(bytes.end(), rests.begin(), rests.end());
  bytes.resize(bytes.size() + size, std::byte{'x'});
  const ParquetColumn column = column_of(ParquetType::kByteArray);
  auto decoder = ParquetValueDecoder::open(column, 7, bytes, 3, nullptr);
  ASSERT_TRUE(decoder) << decoder.error().message;
  std::vector<ByteView> values(3);
  const auto first = decoder->read(values);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first, 2U);
  EXPECT_EQ(values[1].size(), size);
  const auto second = decoder->read(std::span{values}.first(1));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(*second, 1U);
  EXPECT_EQ(values[0].size(), size);
}

TEST(ParquetValues, ReadsBytesOfAStream) {
  Decoded numbers{column_of(ParquetType::kFloat), 9,
                  "aa00a3"
                  "bb11b4"
                  "cc22c5"
                  "dd33d6",
                  3};
  EXPECT_EQ(good(numbers.numbers(3)), (Numbers{0xddccbbaa, 0x33221100, 0xd6c5b4a3}));
  Decoded fixed{column_of(ParquetType::kFixedBytes, 2), 9,
                "6163"
                "6264",
                2};
  EXPECT_EQ(good(fixed.strings(2)), (Strings{"ab", "cd"}));
  EXPECT_FALSE(numbers.numbers(1));
}

TEST(ParquetValues, NamesWhatItCannotRead) {
  const auto why = [](ParquetType type, int encoding) {
    return (Decoded{column_of(type), encoding, "00", 1}).decoder.error().message;
  };
  EXPECT_EQ(why(ParquetType::kInt64, 1), "the encoding GROUP_VAR_INT is not supported");
  EXPECT_EQ(why(ParquetType::kInt64, 77), "the encoding number 77 is not supported");
  EXPECT_EQ(why(ParquetType::kInt64, 3), "the encoding RLE is not one for the type int64");
  EXPECT_EQ(why(ParquetType::kByteArray, 5),
            "the encoding DELTA_BINARY_PACKED is not one for the type byte_array");
}

TEST(ParquetDictionary, FitsIntoItsPage) {
  const Bytes bytes = from_hex("01000000000000000200000000000000");
  const auto column = column_of(ParquetType::kInt64);
  EXPECT_EQ(read_parquet_dictionary(column, bytes, 2)->numbers, (Numbers{1, 2}));
  EXPECT_FALSE(read_parquet_dictionary(column, bytes, 3));
  EXPECT_FALSE(read_parquet_dictionary(column, bytes, UINT64_MAX));
  EXPECT_FALSE(read_parquet_dictionary(column_of(ParquetType::kByteArray), bytes, 5));
  EXPECT_FALSE(read_parquet_dictionary(column_of(ParquetType::kBoolean), bytes, 1));
}

}  // namespace
}  // namespace bloomery
