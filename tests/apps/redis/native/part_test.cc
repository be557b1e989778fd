// A part of a filter as a value of the module: its manifest, its file, and what it refuses.
#include <gtest/gtest.h>

#include "apps/redis/native/dump.h"
#include "apps/redis/native/loader.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/native/part_file.h"
#include "tests/apps/redis/native/dumped.h"

namespace bloomery::redis_module {
namespace {

constexpr Goal kGoal{20'000, 0.01};
constexpr std::uint32_t kParts = 5;

LayeredPlan plan_of(std::uint32_t index) {
  const auto part = LayeredPart::of_goal(kGoal, {index, kParts});
  EXPECT_TRUE(part);
  return LayeredPlan{kGoal, 0, LayerKind::kBlock, {}, {}, *part};
}

std::vector<std::string> names(std::size_t count, const std::string& prefix = "key:") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

// Each key into the part that it belongs to.
std::vector<LayeredFilter> filled(std::size_t count) {
  std::vector<LayeredFilter> parts;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    auto part = LayeredFilter::make(plan_of(i), 0, kRoomy, nullptr);
    EXPECT_TRUE(part);
    parts.push_back(std::move(*part));
  }
  for (const std::string& name : names(count)) {
    const ByteView key = bytes_of(name);
    const Part home = parts[0].elsewhere({&key, 1}).value_or(Part{0, kParts});
    EXPECT_FALSE(parts[home.index].elsewhere({&key, 1}));
    parts[home.index].insert({&key, 1}, 0);
  }
  return parts;
}

TEST(PartInServer, AllPartsTogetherAreTheFilterOfAFile) {
  auto file = create_native({.sizing = {.keys = kGoal.keys, .rate = kGoal.false_positive_rate}});
  ASSERT_TRUE(file);
  BlockFilter& whole = std::get<NativeBlock>(*file).filter;
  for (const std::string& name : names(kGoal.keys)) whole.insert(bytes_of(name));
  std::vector<std::byte> joined;
  for (const LayeredFilter& part : filled(kGoal.keys)) {
    const ByteView bytes = part.slices().front().layers.front().bytes();
    joined.insert(joined.end(), bytes.begin(), bytes.end());
  }
  EXPECT_TRUE(std::ranges::equal(joined, whole.bytes()));
}

TEST(PartInServer, AnswersForItsOwnKeysAndNamesThePartOfOthers) {
  const std::vector<LayeredFilter> parts = filled(kGoal.keys);
  std::size_t wrong = 0;
  const auto home_of = [&](ByteView key) {
    return parts[0].elsewhere({&key, 1}).value_or(Part{0, kParts}).index;
  };
  for (const std::string& name : names(kGoal.keys)) {
    const std::uint32_t home = home_of(bytes_of(name));
    ASSERT_TRUE(parts[home].may_contain(bytes_of(name), 0));
    const ByteView key = bytes_of(name);
    EXPECT_EQ(parts[(home + 1) % kParts].elsewhere({&key, 1}), (Part{home, kParts}));
  }
  for (const std::string& name : names(100'000, "absent:"))
    wrong += parts[home_of(bytes_of(name))].may_contain(bytes_of(name), 0) ? 1 : 0;
  EXPECT_GT(wrong, 700U);
  EXPECT_LT(wrong, 1200U);
}

TEST(PartInServer, ComesBackFromItsDump) {
  for (const LayeredFilter& part : filled(3000)) {
    const std::vector<std::byte> manifest = encode_native_manifest(manifest_of(part));
    EXPECT_EQ(load_le<std::uint16_t>(manifest.data() + 8), 2);  // a server of before refuses it
    auto loader = NativeLoader::start(manifest, nullptr);
    ASSERT_TRUE(loader);
    ASSERT_TRUE(loader->take(stream_of(part), kRoomy));
    ASSERT_TRUE(loader->whole());
    EXPECT_TRUE(std::move(*loader).finish().same_bytes(part));
  }
}

TEST(PartInServer, IsLoadedFromItsFile) {
  for (const LayeredFilter& part : filled(3000)) {
    const std::vector<std::byte> file = stream_of(part);
    ASSERT_TRUE(decode_native_part(file, {}));
    auto loader = NativeLoader::start(ByteView{file}.first(kNativeHeaderBytes), nullptr);
    ASSERT_TRUE(loader) << loader.error().message;
    ASSERT_TRUE(loader->take(file, kRoomy));
    ASSERT_TRUE(loader->whole());
    EXPECT_TRUE(std::move(*loader).finish().same_bytes(part));
  }
}

TEST(PartInServer, AFileOfAnotherPartIsRefused) {
  const std::vector<LayeredFilter> parts = filled(3000);
  auto loader = NativeLoader::start(encode_native_manifest(manifest_of(parts[1])), nullptr);
  ASSERT_TRUE(loader);
  EXPECT_FALSE(loader->take(stream_of(parts[2]), kRoomy));
}

TEST(PartInServer, ADamagedBodyIsRefused) {
  const std::vector<LayeredFilter> parts = filled(3000);
  std::vector<std::byte> file = stream_of(parts[1]);
  file.back() ^= std::byte{1};
  auto loader = NativeLoader::start(ByteView{file}.first(kNativeHeaderBytes), nullptr);
  ASSERT_TRUE(loader);
  EXPECT_FALSE(loader->take(file, kRoomy));
}

TEST(PartInServer, HeadersThatNoPartHasAreRefused) {
  const std::vector<LayeredFilter> parts = filled(10);
  const NativeHeader good = parts[1].slices().front().layers.front().header();
  const auto starts = [](NativeHeader header) {
    const NativeHeaderBytes bytes = encode_native_header(header);
    return NativeLoader::start(bytes, nullptr).has_value();
  };
  EXPECT_TRUE(starts(good));
  const auto changed = [&](auto change) {
    NativeHeader header = good;
    change(header);
    return starts(header);
  };
  EXPECT_FALSE(changed([](NativeHeader& h) { h.part_index = kParts; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.part_count = 0; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.flags = 0; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.flags |= kNativeSeeded; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.goal_keys = 0, h.goal_rate = 0; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.bits = 512; }));
  EXPECT_FALSE(changed([](NativeHeader& h) { h.body_bytes += 64; }));
  EXPECT_FALSE(NativeLoader::start(ByteView{encode_native_header(good)}.first(100), nullptr));
}

TEST(PartInServer, AHeaderThatClaimsMuchTakesNoMemoryBeyondTheLimit) {
  const auto part = LayeredPart::of_goal({1'000'000'000, 0.01}, {0, 2});
  ASSERT_TRUE(part);
  NativeHeader header = native_header_for({Hasher{part->profile}, false}, FunnelName::kBytes);
  header.kind = NativeKind::kBlock;
  header.flags = kNativePart;
  header.bits = part->shape.bits();
  header.probes = part->shape.probes;
  header.part_count = 2;
  header.set_provenance({.goal = Goal{1'000'000'000, 0.01}, .keys_inserted = 0});
  header.body_bytes = native_body_bytes(header);
  const NativeHeaderBytes bytes = encode_native_header(header);
  auto loader = NativeLoader::start(bytes, nullptr);
  ASSERT_TRUE(loader);
  EXPECT_EQ(loader->size_bytes(), 0U);
  const auto taken = loader->take(bytes, DecodeLimits{1 << 20});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kTooLarge);
}

TEST(PartInServer, HoldsItsShareOfTheGoalAndThenIsFull) {
  LayeredFilter part = std::move(filled(0)[2]);
  const std::uint64_t most = plan_of(2).part->most_keys(kGoal.keys);
  EXPECT_GT(most, kGoal.keys / kParts);
  EXPECT_LT(most, kGoal.keys / kParts + 500);
  std::uint64_t known_or_new = 0;
  bool full = false;
  for (const std::string& name : names(2 * kGoal.keys)) {
    const ByteView key = bytes_of(name);
    if (part.elsewhere({&key, 1})) continue;
    const auto answer = part.insert({&key, 1}, 0);
    if (answer[0].answer == InsertResult::kFull) {
      full = true;
      break;
    }
    ++known_or_new;
  }
  EXPECT_TRUE(full);
  EXPECT_GE(known_or_new, most);
  EXPECT_FALSE(part.has_room());
}

TEST(PartInServer, MergesWithTheSamePartOnlyAndEmptiesToItsShape) {
  std::vector<LayeredFilter> some = filled(1000);
  const std::vector<LayeredFilter> more = filled(3000);
  const LayeredFilter* same[] = {&more[1]};
  const LayeredFilter* other[] = {&more[2]};
  const auto merged = LayeredFilter::union_of(some[1], same);
  ASSERT_TRUE(merged);
  EXPECT_TRUE(std::ranges::equal(merged->slices().front().layers.front().bytes(),
                                 more[1].slices().front().layers.front().bytes()));
  EXPECT_FALSE(LayeredFilter::union_of(some[1], other));
  const auto empty = some[1].emptied();
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->size_bytes(), some[1].size_bytes());
  EXPECT_TRUE(some[1].clone().same_bytes(some[1]));
}

}  // namespace
}  // namespace bloomery::redis_module
