#include "apps/redis/native/dump.h"

#include <gtest/gtest.h>

#include <random>

#include "apps/redis/native/loader.h"
#include "bloomery/formats/native/native.h"
#include "tests/apps/redis/native/dumped.h"

namespace bloomery::redis_module {
namespace {

LayeredFilter filled(const LayeredPlan& plan) {
  auto filter = LayeredFilter::make(plan, 1000, kRoomy, nullptr);
  EXPECT_TRUE(filter.has_value());
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> names;
    for (int i = 0; i < 60; ++i) names.push_back(std::to_string(round * 60 + i));
    std::vector<ByteView> keys;
    for (const std::string& name : names) keys.push_back(bytes_of(name));
    filter->insert(keys, 1000);
    EXPECT_TRUE(filter->rotate(1000 + (round + 1) * 20'000).has_value());
  }
  return std::move(*filter);
}
const Secret kSecret{std::byte{1}, std::byte{2}};
std::vector<LayeredFilter> samples() {
  std::vector<LayeredFilter> samples;
  for (const LayeredPlan& plan :
       {LayeredPlan{{1000, 0.01}, 2, LayerKind::kBlock},
        LayeredPlan{{40, 0.01}, 2, LayerKind::kCounting},
        LayeredPlan{{40, 0.01}, 0, LayerKind::kClassic, {}, kSecret},
        LayeredPlan{{40, 0.01}, 2, LayerKind::kBlock, TimeWindow{60'000, 3}}})
    samples.push_back(filled(plan));
  return samples;
}

TEST(NativeDump, AFilterComesBackFromPiecesOfAnySize) {
  std::mt19937_64 random{1};
  for (const LayeredFilter& filter : samples()) {
    const std::vector<std::byte> stream = stream_of(filter);
    for (const std::size_t most : {1UL, 100UL, 1000UL, stream.size()}) {
      auto loader = NativeLoader::start(encode_native_manifest(manifest_of(filter)), nullptr);
      ASSERT_TRUE(loader.has_value());
      for (std::size_t at = 0; at < stream.size();) {
        EXPECT_FALSE(loader->whole());
        EXPECT_EQ(loader->taken(), at);
        const std::size_t size = std::min(1 + random() % most, stream.size() - at);
        ASSERT_TRUE(loader->take(ByteView{stream}.subspan(at, size), kRoomy).has_value());
        at += size;
        std::vector<std::byte> begun;  // what a save in between would keep
        loader->for_each_begun([&](ByteView header, ByteView body) {
          begun.insert(begun.end(), header.begin(), header.end());
          begun.insert(begun.end(), body.begin(), body.end());
        });
        ASSERT_TRUE(std::ranges::equal(begun, ByteView{stream}.first(at)));
      }
      ASSERT_TRUE(loader->whole());
      EXPECT_TRUE(std::move(*loader).finish().same_bytes(filter));
    }
  }
}

TEST(NativeDump, EveryLayerIsAFileOfOurOwnFormat) {
  for (const LayeredFilter& filter : samples()) {
    const std::vector<std::byte> stream = stream_of(filter);
    DecodeOptions options;
    options.sip_key = sip_key_from_secret(kSecret);
    const FilterLayer& layer = filter.slices().front().layers.front();
    const auto file = ByteView{stream}.first(kNativeHeaderBytes + layer.bytes().size());
    const auto native = decode_native(file, options);
    ASSERT_TRUE(native.has_value());
    EXPECT_TRUE(std::ranges::equal(encode_native(*native), file));
    std::visit([](const auto& held) { EXPECT_TRUE(held.filter.may_contain(bytes_of("7"))); },
               *native);
  }
}

TEST(NativeDump, ABlockLayoutIsTheLibrarysOwnFilter) {
  auto filter = LayeredFilter::make({{1000, 0.01}, 0, LayerKind::kBlock}, 0, kRoomy, nullptr);
  auto same = BlockFilter::for_goal({1000, 0.01}, KeyHash{Hasher{Profile::kAes}, false});
  const ByteView keys[] = {bytes_of("a"), bytes_of("b"), bytes_of("a key longer than sixteen")};
  filter->insert(keys, 0);
  same->insert_batch(ByteKeys{keys});
  EXPECT_EQ(stream_of(*filter), encode_native(NativeBlock{std::move(*same)}));
}

TEST(NativeDump, AChangedByteIsNoticed) {
  for (const LayeredFilter& filter : samples()) {
    const std::vector<std::byte> manifest = encode_native_manifest(manifest_of(filter));
    for (std::size_t i = 0; i < manifest.size(); ++i) {
      auto bad = manifest;
      bad[i] ^= std::byte{1};
      EXPECT_FALSE(NativeLoader::start(bad, nullptr).has_value()) << i;
    }
    const std::vector<std::byte> stream = stream_of(filter);
    for (std::size_t i = 0; i < stream.size(); i += 37) {
      auto bad = stream;
      bad[i] ^= std::byte{1};
      auto loader = NativeLoader::start(manifest, nullptr);
      EXPECT_FALSE(loader->take(bad, kRoomy).has_value()) << i;
    }
    auto loader = NativeLoader::start(manifest, nullptr);
    ASSERT_TRUE(loader->take(stream, kRoomy).has_value());
    EXPECT_FALSE(loader->take(ByteView{stream}.first(1), kRoomy).has_value()) << "and more";
  }
}

TEST(NativeDump, AHeaderBuysNoMoreThanTheLimit) {
  const auto filter =
      LayeredFilter::make({{1'000'000, 0.01}, 2, LayerKind::kBlock}, 0, kRoomy, nullptr);
  const std::vector<std::byte> stream = stream_of(*filter);
  auto loader = NativeLoader::start(encode_native_manifest(manifest_of(*filter)), nullptr);
  const auto taken = loader->take(ByteView{stream}.first(kNativeHeaderBytes), {1000});
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::kTooLarge);
}

TEST(NativeDump, AManifestThatContradictsItselfIsRefused) {
  const LayeredFilter filter = filled({{40, 0.01}, 2, LayerKind::kBlock, TimeWindow{60'000, 3}});
  const auto refused = [](NativeManifest manifest) {
    return !decode_native_manifest(encode_native_manifest(manifest)).has_value();
  };
  const NativeManifest good = manifest_of(filter);
  EXPECT_FALSE(refused(good));
  const auto changed = [&](auto change) {
    NativeManifest manifest = good;
    change(manifest);
    return refused(manifest);
  };
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.goal.keys = 0; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.goal.false_positive_rate = 1; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.expansion = 32769; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.layout = LayerKind{4}; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.layout = LayerKind::kCounting; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.window->slices = 65; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.window->milliseconds = 999; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.plan.window.reset(); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices.clear(); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices.resize(9, m.slices.front()); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices[0].room_taken.clear(); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices[0].room_taken.resize(1025); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { std::swap(m.slices[0], m.slices[1]); }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices[0].start = -1; }));
  EXPECT_TRUE(changed([](NativeManifest& m) { m.slices.back().start = TimeWindow::kLatest + 1; }));
}

TEST(NativeDump, LayersOfAnotherKindAreRefused) {
  const auto all = samples();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j) continue;
      auto loader = NativeLoader::start(encode_native_manifest(manifest_of(all[i])), nullptr);
      const auto taken = loader->take(stream_of(all[j]), kRoomy);
      EXPECT_FALSE(taken.has_value() && loader->whole()) << i << " from " << j;
    }
}

}  // namespace
}  // namespace bloomery::redis_module
