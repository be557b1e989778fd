#include "bloomery/formats/parquet.h"

#include <filesystem>

#include "bloomery/base/file.h"
#include "bloomery/hash/xxh.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

ParquetFilter with_blocks(std::uint64_t blocks) { return ParquetFilter{SplitBlockFilter{blocks}}; }

// The golden bits stand without their header; here it comes first.
TEST(Parquet, GoldenFiltersAgreeWithThePeer) {
  const auto golden = testing::golden_json("formats/parquet.json");
  ASSERT_EQ(golden.at("filters").size(), 9U);
  for (nlohmann::json one : golden.at("filters")) {
    one["bytes_hex"] =
        one.at("thrift_header_hex").get<std::string>() + one.at("bytes_hex").get<std::string>();
    CreateOptions options;
    options.sizing.blocks = std::stoull(one.at("params").at("blocks").get<std::string>());
    auto empty = create_parquet(options);
    ASSERT_TRUE(empty) << empty.error().message;
    testing::check_golden(
        one, std::move(*empty), [](ByteView bytes) { return decode_parquet(bytes, {}); },
        encode_parquet);
    EXPECT_TRUE(looks_like_parquet(from_hex(one.at("bytes_hex").get<std::string>())));
  }
}

TEST(Parquet, HashesPlainEncodedValues) {
  const auto hashes =
      testing::golden_json("formats/parquet.json").at("files").back().at("typed_hash_xxh64");
  const auto hash_of = [](const char* hex) {
    std::uint64_t hash = xxh64(from_hex(hex));
    hash = byte_swapped(hash);
    return to_hex(std::as_bytes(std::span{&hash, 1}));
  };
  EXPECT_EQ(hash_of("01"), hashes.at("bool true (01)"));
  EXPECT_EQ(hash_of("-"), hashes.at("bytes empty"));
  EXPECT_EQ(hash_of("68656c6c6f"), hashes.at("bytes hello"));
  EXPECT_EQ(hash_of("ffffffff"), hashes.at("int32 -1"));
  EXPECT_EQ(hash_of("01000000"), hashes.at("int32 1 (01000000)"));
  EXPECT_EQ(hash_of("0100000000000000"), hashes.at("int64 1 (0100000000000000)"));
}

TEST(Parquet, BatchesAgreeWithSingleKeys) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("key-" + std::to_string(i));
  std::vector<ByteView> keys;
  for (const auto& text : texts) keys.push_back(bytes_of(text));
  const auto half = std::span{keys}.first(500);
  ParquetFilter one = with_blocks(20);
  ParquetFilter batch = with_blocks(20);
  std::size_t added = 0;
  for (const ByteView key : half) added += one.insert(key) ? 1 : 0;
  EXPECT_EQ(batch.insert_batch(half), added);
  EXPECT_TRUE(one == batch);
  std::vector<std::uint8_t> answers(keys.size());
  batch.may_contain_batch(keys, answers);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(answers[i] == 1, one.may_contain(keys[i]));
    passed += answers[i];
  }
  EXPECT_GE(passed, 500U);
  EXPECT_LT(passed, 700U);
  std::vector<std::uint8_t> is_new(500);
  EXPECT_EQ(with_blocks(20).insert_batch(half, is_new), added);
}

TEST(Parquet, SizesAsArrowDoes) {
  // Bits by the formula, then the next power of two: 1000 keys at 1 % need 9681 bits.
  EXPECT_EQ(*parquet_blocks_for({1000, 0.01}), 64U);
  EXPECT_EQ(*parquet_blocks_for({1, 0.5}), 1U);
  // 2^20 bits hold the first number of keys, and one key more needs twice as many.
  for (const auto& [keys, rate] : {std::pair{108306U, 0.01}, {71782U, 0.001}}) {
    EXPECT_EQ(*parquet_blocks_for({keys, rate}), 4096U) << rate;
    EXPECT_EQ(*parquet_blocks_for({keys + 1, rate}), 8192U) << rate;
  }
  EXPECT_EQ(*parquet_blocks_for({1'000'000, 0.01}), 65536U);
  EXPECT_EQ(parquet_blocks_for({1'000'000'000, 0.01}).error().code, ErrorCode::kTooLarge);
  EXPECT_FALSE(parquet_blocks_for({1, 1e-300}));  // 1 - p^(1/8) is 1 in a double
  EXPECT_FALSE(parquet_blocks_for({0, 0.01}));
}

TEST(Parquet, CreateRefusesWhatNoReaderWouldTake) {
  CreateOptions options;
  EXPECT_EQ(create_parquet(options).error().code, ErrorCode::kInvalidArgument);
  options.sizing.blocks = 0;
  EXPECT_FALSE(create_parquet(options));
  options.sizing.blocks = (1 << 22) + 1;
  EXPECT_FALSE(create_parquet(options));
  options.sizing.blocks = 41;
  ASSERT_TRUE(create_parquet(options));
  EXPECT_EQ(describe(*create_parquet(options)).notes.size(), 1U);
  options.limits.max_bytes = 41 * 32 - 1;
  EXPECT_EQ(create_parquet(options).error().code, ErrorCode::kTooLarge);
  CreateOptions goal;
  goal.sizing.keys = 1000;
  goal.sizing.rate = 0.01;
  EXPECT_EQ(create_parquet(goal)->provenance().goal, (Goal{1000, 0.01}));
}

TEST(Parquet, UnknownFieldsAreSkippedAndUnknownChoicesRefused) {
  const std::string bits(64, '0');
  const auto decode = [&](const std::string& header) {
    return decode_parquet(from_hex(header + bits), {});
  };
  EXPECT_TRUE(decode("15401c1c00001c1c00001c1c000000"));
  EXPECT_TRUE(
      decode("15401c1c00001c1c00001c1c0000"
             "18026162"
             "1c18016100"
             "00"));
  // Field 2 of the union instead of field 1: another algorithm, hash or compression.
  EXPECT_EQ(decode("15401c2c00001c1c00001c1c000000").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(decode("15401c1c00001c2c00001c1c000000").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(decode("15401c1c00001c1c00001c2c000000").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(decode("15401c1c00001c1c000000").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(decode("1c1c00001c1c00001c1c000000").error().code, ErrorCode::kMalformed);
}

TEST(Parquet, RefusesSizesThatAreNoFilters) {
  const Bytes bits(128);
  const auto decode = [&](const std::string& size) {
    Bytes bytes = from_hex("15" + size + "1c1c00001c1c00001c1c000000");
    bytes.insert(bytes.end(), bits.begin(), bits.end());
    return decode_parquet(bytes, {});
  };
  EXPECT_TRUE(decode("8002"));                                    // 128
  EXPECT_EQ(decode("8202").error().code, ErrorCode::kMalformed);  // 129
  EXPECT_EQ(decode("40").error().code, ErrorCode::kMalformed);    // 32, and 128 follow
  EXPECT_EQ(decode("00").error().code, ErrorCode::kMalformed);    // none
  EXPECT_EQ(decode("3f").error().code, ErrorCode::kMalformed);    // -32
  EXPECT_EQ(decode("8004").error().code, ErrorCode::kTruncated);  // 256
  EXPECT_EQ(decode("80808080"
                   "01")
                .error()
                .code,
            ErrorCode::kTruncated);  // 128 MiB
  EXPECT_EQ(decode("c0808080"
                   "01")
                .error()
                .code,
            ErrorCode::kMalformed);  // 32 bytes more
  DecodeOptions small;
  small.limits.max_bytes = 127;
  Bytes good = encode_parquet(with_blocks(4));
  EXPECT_EQ(decode_parquet(good, small).error().code, ErrorCode::kTooLarge);
}

TEST(Parquet, RecognisesTheFormThatWasGivenUp) {
  Bytes old = from_hex("200000000000000000000000");
  old.resize(44);
  EXPECT_EQ(decode_parquet(old, {}).error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(looks_like_parquet(old));
}

TEST(Parquet, FoldGivesTheFilterOfFewerBlocks) {
  ParquetFilter large = with_blocks(64);
  ParquetFilter small = with_blocks(16);
  for (int i = 0; i < 100; ++i) {
    large.insert(bytes_of(std::to_string(i)));
    small.insert(bytes_of(std::to_string(i)));
  }
  const auto folded = large.fold(4);
  ASSERT_TRUE(folded);
  EXPECT_TRUE(*folded == small);
  EXPECT_FALSE(large.fold(3));
}

TEST(Parquet, SurvivesHostileBytes) {
  ParquetFilter filter = with_blocks(2);
  filter.insert(bytes_of("a key"));
  testing::survive_hostile_bytes(encode_parquet(filter), [](ByteView bytes) {
    DecodeOptions options;
    options.limits.max_bytes = 1 << 20;
    return decode_parquet(bytes, options);
  });
}

TEST(Parquet, ReadsTheFilterOfParquetTesting) {
  const std::filesystem::path folder = BLOOMERY_REAL_DIR "/parquet";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the public sample files are not in " << folder;
  const auto golden = testing::golden_json("formats/parquet.json").at("files").at(0);
  const auto bytes = read_file(folder / "bloom_filter.xxhash.bin", {});
  ASSERT_TRUE(bytes);
  const auto filter = decode_parquet(*bytes, {});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(encode_parquet(*filter) == *bytes);
  ParquetFilter rebuilt = with_blocks(filter->blocks());
  for (const auto& value : golden.at("values_utf8"))
    rebuilt.insert(bytes_of(value.get<std::string>()));
  EXPECT_TRUE(rebuilt == *filter);
  for (const auto& answer : golden.at("answers_utf8"))
    EXPECT_EQ(filter->may_contain(bytes_of(answer.at(0).get<std::string>())),
              answer.at(1).get<bool>());
  const auto old = read_file(folder / "bloom_filter.bin", {});
  ASSERT_TRUE(old);
  EXPECT_EQ(decode_parquet(*old, {}).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery
