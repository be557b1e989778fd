// Block filters in our own file: where their keys lie, how they are made, and how they are mapped.
#include <gtest/gtest.h>

#include "bloomery/base/file.h"
#include "bloomery/formats/format.h"
#include "bloomery/formats/native/mapped.h"
#include "tests/base/scratch_folder.h"
#include "tests/formats/golden.h"
#include "tests/formats/native/mapped_answers.h"

namespace bloomery {
namespace {

Result<NativeFilter> create(const SizingRequest& sizing, Layout layout = Layout::kBlock,
                            bool seeded = false) {
  CreateOptions options;
  options.sizing = sizing;
  options.layout = layout;
  options.seeded = seeded;
  return create_native(options);
}
const BlockFilter& block(const Result<NativeFilter>& made) {
  return std::get<NativeBlock>(*made).filter;
}
bool is_block(const Result<NativeFilter>& made) {
  EXPECT_TRUE(made);
  return made && std::holds_alternative<NativeBlock>(*made) &&
         block(made).block_shape().lines() == 1;
}
std::array<std::byte, 4> big_endian(std::size_t number) {
  std::array<std::byte, 4> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(number >> (24 - 8 * i));
  return bytes;
}
std::uint64_t hexadecimal(const nlohmann::json& text) {
  return std::stoull(text.get<std::string>(), nullptr, 16);
}

TEST(NativeBlock, KeysLieWhereTheDocumentSays) {
  const auto cases = testing::golden_json("block.json").at("cases");
  EXPECT_EQ(cases.size(), 115U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.dump());
    const std::uint64_t place = hexadecimal(one.at("place"));
    const std::uint64_t bits = hexadecimal(one.at("bits"));
    const std::uint32_t probes = one.at("probes");
    EXPECT_EQ(block::block_of(place, one.at("blocks")), one.at("block").get<std::uint64_t>());
    for (const auto& [seed, positions] :
         {std::pair{0U, "positions"}, {one.at("seed").get<std::uint32_t>(), "seeded_positions"}}) {
      block::BlockMask expected{};
      for (std::size_t i = 0; i < probes; ++i)
        expected.at(one.at("sectors").at(i).get<std::size_t>()) =
            std::uint64_t{1} << one.at(positions).at(i).get<unsigned>();
      EXPECT_EQ(block::mask_of(place, bits, probes, seed), expected);
    }
  }
}

TEST(NativeLines, TheNextLinesOfAKeyAreWhereTheDocumentSays) {
  const auto cases = testing::golden_json("lines.json").at("cases");
  EXPECT_EQ(cases.size(), 28U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.dump());
    block::LineWords line{hexadecimal(one.at("place")), hexadecimal(one.at("bits"))};
    for (std::size_t i = 0; i < 6; i += 2) {
      line = block::next_line(line);
      EXPECT_EQ(line.place, hexadecimal(one.at("next").at(i)));
      EXPECT_EQ(line.bits, hexadecimal(one.at("next").at(i + 1)));
    }
  }
}

TEST(NativeLines, SizesAndProbesThatTheyHaveOrDoNot) {
  const auto made = create({.keys = 1000, .rate = 1e-6}, Layout::kLines);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(block(made).block_shape(), *lines_shape_for({1000, 1e-6}));
  EXPECT_EQ(block(made).block_shape().probes, 16U);
  EXPECT_EQ(block(made).provenance().goal, (Goal{1000, 1e-6}));
  EXPECT_EQ(
      block(create({.keys = 1000, .rate = 1e-6, .probes = 24}, Layout::kLines)).shape().probes,
      24U);
  EXPECT_EQ(block(create({.bits = 1000}, Layout::kLines)).block_shape(), (BlockShape{2, 16}));
  EXPECT_EQ(block(create({.probes = 32, .blocks = 3}, Layout::kLines)).block_shape(),
            (BlockShape{3, 32}));
  EXPECT_EQ(block(create({.keys = 1000, .bits_per_key = 45}, Layout::kLines)).shape().probes, 32U);
  EXPECT_EQ(block(create({.keys = 1000, .bits_per_key = 20}, Layout::kLines)).shape().probes, 16U);
  const auto fits = create({.rate = 1e-6, .blocks = 1000}, Layout::kLines);
  ASSERT_TRUE(fits);
  EXPECT_LE(expected_rate(block(fits).block_shape(),
                          static_cast<double>(block(fits).provenance().goal->keys)),
            1e-6);
  for (const std::uint32_t probes : {1U, 8U, 9U, 17U, 40U}) {
    EXPECT_FALSE(create({.keys = 1000, .rate = 1e-6, .probes = probes}, Layout::kLines)) << probes;
    EXPECT_FALSE(create({.bits = 1000, .probes = probes}, Layout::kLines)) << probes;
  }
  EXPECT_FALSE(create({.keys = 1000, .rate = 1e-6, .probes = 16}, Layout::kBlock));
  EXPECT_FALSE(create({.bits = 1000, .probes = 16}, Layout::kBlock));
  EXPECT_FALSE(create({.keys = 1000, .rate = 1e-6}, Layout::kLines, true));
}

TEST(NativeLines, AutoTakesThemForLowRates) {
  for (const double rate : {1e-4, 1e-6, 1e-9, 1e-12})
    EXPECT_EQ(layout_for({.sizing = {.keys = 1000, .rate = rate}}), Layout::kLines) << rate;
  for (const double rate : {0.4, 1e-13})
    EXPECT_EQ(layout_for({.sizing = {.keys = 1000, .rate = rate}}), Layout::kClassic) << rate;
  EXPECT_EQ(layout_for({.sizing = {.keys = 1000, .rate = 1e-6, .probes = 16}}), Layout::kClassic);
  EXPECT_EQ(layout_for({.sizing = {.keys = 1000, .rate = 0.01}}), Layout::kBlock);
}

// The document's dumps and its table of windows are those of the tests.
TEST(NativeBlock, TheDocumentShowsTheGoldenFiles) {
  const std::filesystem::path golden{BLOOMERY_GOLDEN_DIR};
  const auto document = read_file(golden / "../../docs/formats/bloomery.md", {});
  ASSERT_TRUE(document) << document.error().message;
  const std::string_view text = text_of(*document);
  for (const char* name : {"classic.bloom", "block.bloom"}) {
    const auto bytes = read_file(golden / "native" / name, {});
    ASSERT_TRUE(bytes);
    std::string dump;
    for (std::size_t at = 0; at < bytes->size(); ++at) {
      if (at % 16 == 0) dump += message("    ", testing::to_hex(big_endian(at)), ":");
      if (at % 2 == 0) dump += ' ';
      dump += testing::to_hex(ByteView{*bytes}.subspan(at, 1));
      if (at % 16 == 15) {
        EXPECT_NE(text.find(dump), std::string_view::npos) << name << ": " << dump;
        dump.clear();
      }
    }
  }
  for (std::size_t set = 0; set < block::kWindows.size(); ++set) {
    std::string row = message("    ", set < 10 ? " " : "", set, ":");
    for (const unsigned window : block::kWindows[set])
      row += message(window < 10 ? "  " : " ", window);
    EXPECT_NE(text.find(row + "\n"), std::string_view::npos) << row;
  }
}

TEST(NativeBlock, AGoalIsMetByTheFewestBlocks) {
  const auto made = create({.keys = 1000, .rate = 0.01});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(block(made).block_shape(), *block_shape_for({1000, 0.01}));
  EXPECT_EQ(block(made).provenance().goal, (Goal{1000, 0.01}));
  EXPECT_EQ(block(made).provenance().keys_inserted, 0U);
}

TEST(NativeBlock, BitsOrBlocksAloneHaveNoGoal) {
  EXPECT_EQ(block(create({.bits = 5000})).block_shape(), (BlockShape{10, 6}));
  EXPECT_EQ(block(create({.blocks = 7})).block_shape(), (BlockShape{7, 6}));
  EXPECT_EQ(block(create({.probes = 4, .blocks = 7})).block_shape(), (BlockShape{7, 4}));
  EXPECT_EQ(block(create({.blocks = 7})).provenance().goal, std::nullopt);
  EXPECT_FALSE(create({.probes = 3, .blocks = 7}));
  EXPECT_FALSE(create({.blocks = 0}));
  EXPECT_FALSE(create({.keys = 7}));
}

TEST(NativeBlock, ASeededFilterIsPlannedWithItsSeeds) {
  const auto made = create({.keys = 5000, .rate = 0.01}, Layout::kAuto, true);
  ASSERT_TRUE(is_block(made));
  EXPECT_TRUE(block(made).block_shape().seeded);
  CreateOptions options;
  options.sizing = {.blocks = 10};
  options.seeded = true;
  options.limits.max_bytes = 650;
  EXPECT_TRUE(create_native(options));
  options.limits.max_bytes = 649;
  EXPECT_EQ(create_native(options).error().code, ErrorCode::kTooLarge);
  for (const Layout layout :
       {Layout::kClassic, Layout::kCounting, Layout::kScalable, Layout::kLines})
    EXPECT_FALSE(create({.keys = 5000, .rate = 0.01}, layout, true));
}

TEST(NativeBlock, AutoIsBlockWhereOneLinePerKeyPays) {
  EXPECT_TRUE(is_block(create({.keys = 1000, .rate = 0.01}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.keys = 1000, .rate = 0.001}, Layout::kAuto)));
  EXPECT_FALSE(is_block(create({.keys = 1000, .rate = 1e-5}, Layout::kAuto)));
  EXPECT_FALSE(is_block(create({.keys = 1000, .rate = 1e-15}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.bits = 10000}, Layout::kAuto)));
  EXPECT_FALSE(is_block(create({.bits = 10000, .probes = 3}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.bits = 10000, .probes = 4}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.bits = 10000, .probes = 8}, Layout::kAuto)));
  EXPECT_FALSE(is_block(create({.bits = 10000, .probes = 9}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.keys = 1000, .bits_per_key = 10.0}, Layout::kAuto)));
  EXPECT_FALSE(is_block(create({.keys = 1000, .bits_per_key = 30.0}, Layout::kAuto)));
  EXPECT_TRUE(is_block(create({.blocks = 3}, Layout::kAuto)));
}

TEST(NativeBlock, DescriptionsSayWhatItIs) {
  const auto made = create({.keys = 1000, .rate = 0.01});
  const Description plain = describe(std::get<NativeBlock>(*made));
  EXPECT_EQ(plain.format, "bloomery");
  EXPECT_EQ(plain.layout, "block");
  EXPECT_EQ(plain.dialect, "bloomery-block");
  EXPECT_EQ(plain.bits, block(made).size_bits());
  EXPECT_EQ(plain.probes, block(made).block_shape().probes);
  EXPECT_EQ(plain.notes.size(), 1U);
  EXPECT_NE(plain.notes[0].find("xxh3-64 (seed 0)"), std::string::npos);
  const auto seeded = create({.keys = 1000, .rate = 0.01}, Layout::kBlock, true);
  const Description other = describe(std::get<NativeBlock>(*seeded));
  ASSERT_EQ(other.notes.size(), 2U);
  EXPECT_NE(other.notes[1].find("seeded"), std::string::npos);
}

TEST(NativeBlock, AFileLeftOpenIsReadAndRecounted) {
  NativeBlock native{BlockFilter{{64, 6}}};
  for (std::uint64_t i = 0; i < 1000; ++i) native.filter.insert(bytes_of(std::to_string(i)));
  auto bytes = encode_native(native);
  NativeHeader header = *decode_native_header(bytes, bytes.size(), {});
  header.flags |= kNativeOpen;
  header.keys_inserted = 3;
  header.body_checksum = 0;
  std::ranges::copy(encode_native_header(header), bytes.begin());
  const auto opened = decode_native(bytes, {});
  ASSERT_TRUE(opened) << opened.error().message;
  const auto& recounted = std::get<NativeBlock>(*opened);
  EXPECT_TRUE(recounted.was_open);
  EXPECT_NEAR(static_cast<double>(*recounted.filter.provenance().keys_inserted), 1000, 50);
  EXPECT_FALSE(describe(recounted).has_checksum);
}

TEST(NativeBlock, WorksAsAnyFilter) {
  const Format* format = find_format("bloomery");
  CreateOptions options;
  options.sizing = {.keys = 1000, .rate = 0.01};
  auto made = format->create(options);
  ASSERT_TRUE(made);
  const ByteView keys[] = {bytes_of("a"), bytes_of("b"), bytes_of("a")};
  std::uint8_t answers[3] = {};
  EXPECT_EQ(*insert_batch(*made, keys, answers), 2U);
  EXPECT_EQ(answers[2], 0);
  ASSERT_TRUE(may_contain_batch(*made, keys, answers));
  EXPECT_EQ(answers[0] + answers[1] + answers[2], 3);
  EXPECT_FALSE(remove_batch(*made, keys, answers));
  auto copy = clone(*made);
  ASSERT_TRUE(copy);
  EXPECT_TRUE(*is_equal(*made, *copy));
  EXPECT_TRUE(merge(*made, *copy));
  EXPECT_TRUE(*is_subset_of(*made, *copy));
  EXPECT_TRUE(intersect(*made, *copy));
  EXPECT_TRUE(fold(*made, 1));
}

// Both ways of asking, plain and seeded, in a file larger than the second-level cache.
TEST(NativeBlock, AMappedFileAnswersAsTheLoadedOne) {
  const ScratchFolder folder;
  for (const bool seeded : {false, true}) {
    auto made = create({.keys = 300000, .rate = 0.01}, Layout::kBlock, seeded);
    ASSERT_TRUE(made);
    auto& native = std::get<NativeBlock>(*made);
    for (std::size_t i = 0; seeded && i < native.filter.block_shape().blocks; ++i)
      native.filter.bytes()[native.filter.view().blocks().size() + i] = std::byte(i % 32);
    const auto mapped = testing::map_and_compare(native, folder / "m.bloom", 20000);
    ASSERT_TRUE(mapped);
    EXPECT_EQ(mapped->health().error_rate, native.filter.health().error_rate);
    EXPECT_EQ(describe(*mapped).layout, "block");
    EXPECT_EQ(describe(*mapped).keys_inserted, native.filter.provenance().keys_inserted);
  }
}

TEST(NativeBlock, AMappedFileIsCheckedForWindowsThatDoNotExist) {
  const ScratchFolder folder;
  auto bytes = *read_file(std::string{BLOOMERY_GOLDEN_DIR "/native/block-seeded.bloom"}, {});
  ASSERT_TRUE(save_file(folder / "good.bloom", bytes));
  const auto good = MappedNative::open(folder / "good.bloom", {});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->verify());
  bytes[200] ^= std::byte{1};
  ASSERT_TRUE(save_file(folder / "damaged.bloom", bytes));
  EXPECT_EQ(MappedNative::open(folder / "damaged.bloom", {})->verify().error().code,
            ErrorCode::kMalformed);
  bytes.back() = std::byte{200};
  ASSERT_TRUE(save_file(folder / "bad.bloom", bytes));
  EXPECT_EQ(MappedNative::open(folder / "bad.bloom", {}).error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace bloomery
