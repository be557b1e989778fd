#include "bloomery/formats/native/part_file.h"

#include <gtest/gtest.h>

#include "bloomery/base/file.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/formats/native/mapped_block.h"
#include "tests/base/scratch_folder.h"
#include "tests/filter/many_keys.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

using testing::ManyKeys;

NativePart part_with_keys(BlockShape shape, Part part) {
  auto made = BlockPart::create(shape, part, KeyHash{Hasher{Profile::kXxh3_64, 3}});
  EXPECT_TRUE(made);
  const ManyKeys keys{1000};
  std::vector<std::uint8_t> is_new(keys.size());
  made->insert_batch(keys.views(), is_new);
  made->set_provenance({Goal{1000, 0.01}, made->provenance().keys_inserted});
  return {std::move(*made), FunnelName::kBytes};
}

TEST(NativePart, ReadsWhatItWrote) {
  for (const BlockShape shape : {BlockShape{40, 6}, BlockShape{40, 16}, BlockShape{40, 6, true}}) {
    const NativePart part = part_with_keys(shape, {2, 7});
    const auto bytes = encode_native_part(part);
    const auto back = decode_native_part(bytes, {});
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->filter, part.filter);
    EXPECT_EQ(back->filter.provenance(), part.filter.provenance());
    EXPECT_EQ(encode_native_part(*back), bytes);
    EXPECT_TRUE(looks_like_native_part(bytes));
    EXPECT_EQ(bytes.size(), kNativeHeaderBytes + part_bytes(shape, {2, 7}));
  }
}

// The bytes are for ever: 40 blocks of six probes, part 2 of 7, is blocks 11 to 16.
TEST(NativePart, HeaderIsFixed) {
  const NativePart part = part_with_keys({40, 6}, {2, 7});
  EXPECT_EQ(part.filter.range(), (PartRange{11, 17}));
  const auto bytes = encode_native_part(part);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 12), 8U);      // flags
  EXPECT_EQ(load_le<std::uint64_t>(bytes.data() + 24), 20480U);  // bits of the whole filter
  EXPECT_EQ(load_le<std::uint64_t>(bytes.data() + 80), 384U);    // bytes of this part
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 112), 2U);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 116), 7U);
}

// Made by a program that shares no code with this one: tests/golden/native/make.py.
TEST(NativePart, GoldenFilesAreTheParts) {
  const ManyKeys more{60, "more"};
  std::vector<std::string> fruit = {
      "",       "apple",  "pear",
      "quince", "medlar", "a key that is longer than sixteen bytes, as keys may be"};
  std::vector<ByteView> keys;
  for (const std::string& key : fruit) keys.push_back(bytes_of(key));
  keys.insert(keys.end(), more.begin(), more.end());
  std::vector<std::uint8_t> answers(keys.size());
  for (const auto& [name, shape] : {std::pair{"block", BlockShape{10, 6}},
                                    {"lines", BlockShape{10, 16}},
                                    {"seeded", BlockShape{10, 7, true}}})
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto file =
          read_file(message(BLOOMERY_GOLDEN_DIR "/native/part-", name, ".", i, "-of-3.bloom"), {});
      ASSERT_TRUE(file) << file.error().message;
      const auto& golden = *file;
      auto part = decode_native_part(golden, {});
      ASSERT_TRUE(part) << part.error().message;
      EXPECT_EQ(part->filter.whole_shape(), shape);
      EXPECT_EQ(part->filter.part(), (Part{i, 3}));
      EXPECT_EQ(encode_native_part(*part), golden);
      part->filter.may_contain_batch(std::span<const ByteView>{keys}, answers);
      EXPECT_EQ(std::ranges::count(answers, 1), std::ssize(keys));
      if (shape.seeded) continue;  // its seeds were chosen by hand
      auto made = BlockPart::create(shape, {i, 3});
      ASSERT_TRUE(made);
      made->insert_batch(std::span<const ByteView>{keys}, answers);
      EXPECT_EQ(encode_native_part({std::move(*made), FunnelName::kBytes}), golden);
    }
}

TEST(NativePart, SavesAndLoads) {
  const ScratchFolder folder;
  const auto path = folder / "a.bloom";
  const NativePart part = part_with_keys({40, 6}, {2, 7});
  ASSERT_TRUE(save_native_part(part, path));
  const auto back = load_native_part(path, {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->filter, part.filter);
  EXPECT_FALSE(load_native_part(folder / "none.bloom", {}));
}

TEST(NativePart, IsNoFilterForReadersOfFilters) {
  const ScratchFolder folder;
  const auto path = folder / "a.bloom";
  const NativePart part = part_with_keys({40, 6}, {2, 7});
  ASSERT_TRUE(save_native_part(part, path));
  const std::string refused =
      "this is part 2 of 7 of a filter, which only all parts together answer for: use the manifest "
      "(.bloomset) of the parts, or make one file of them with bloomery join";
  EXPECT_EQ(decode_native(encode_native_part(part), {}).error().message, refused);
  EXPECT_EQ(load_native(path, {}).error().message, refused);
  EXPECT_EQ(MappedNative::open(path, {}).error().message, refused);
  EXPECT_EQ(MappedBlock::open(path, {}).error().message, refused);
}

TEST(NativePart, WholeFilterIsNoPart) {
  NativeBlock whole{BlockFilter{{40, 6}}};
  const auto bytes = encode_native(whole);
  EXPECT_FALSE(looks_like_native_part(bytes));
  EXPECT_EQ(decode_native_part(bytes, {}).error().message,
            "this is a whole filter, not a part of one: bloomery split cuts a filter into parts");
}

TEST(NativePart, DescribesItself) {
  const NativePart part = part_with_keys({40, 6}, {2, 7});
  const Description description = describe(part);
  EXPECT_EQ(description.layout, "block, part 2 of 7");
  EXPECT_EQ(description.bits, 6U * 512);
  EXPECT_EQ(description.keys_inserted, part.filter.provenance().keys_inserted);
  EXPECT_EQ(describe(part_with_keys({40, 16}, {2, 7})).layout, "lines, part 2 of 7");
}

NativeHeaderBytes header_with(auto change) {
  NativeHeader header = native_part_header(part_with_keys({40, 6}, {2, 7}));
  change(header);
  return encode_native_header(header);
}

TEST(NativePart, HeadersThatContradictThemselvesAreRefused) {
  const auto refusal = [](const NativeHeaderBytes& bytes) {
    const auto header = decode_native_part_header(bytes, 128 + 384, {});
    return header ? std::string{} : header.error().message;
  };
  EXPECT_EQ(refusal(header_with([](NativeHeader&) {})), "");
  EXPECT_EQ(refusal(header_with([](NativeHeader& h) { h.part_index = 7; })),
            "the part at byte 112 is none: there is no part 7 of 7: parts are counted from 0 to 6");
  EXPECT_NE(refusal(header_with([](NativeHeader& h) { h.part_count = 41; })), "");
  EXPECT_NE(refusal(header_with([](NativeHeader& h) { h.part_count = 0; })), "");
  EXPECT_EQ(refusal(header_with([](NativeHeader& h) { h.flags = 0; })),
            "the reserved bytes 23 and 112 to 119 must be zero");
  EXPECT_EQ(refusal(header_with([](NativeHeader& h) { h.flags |= kNativeOpen; })),
            "the flags at byte 12 are 12, and this kind of filter knows only those of 7");
  EXPECT_NE(refusal(header_with([](NativeHeader& h) { h.kind = NativeKind::kClassic; })), "");
  EXPECT_NE(refusal(header_with([](NativeHeader& h) { h.body_bytes = 40 * 64; })), "");
}

TEST(NativePart, SurvivesHostileBytes) {
  for (const BlockShape shape : {BlockShape{40, 6}, BlockShape{40, 6, true}})
    testing::survive_hostile_bytes(
        encode_native_part(part_with_keys(shape, {2, 7})),
        [](ByteView bytes) {
          return decode_native_part(bytes, {.limits = {.max_bytes = 1 << 20}});
        },
        [](const NativePart& part) { (void)part.filter.health(); });
}

}  // namespace
}  // namespace bloomery
