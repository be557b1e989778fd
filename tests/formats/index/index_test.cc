#include "bloomery/formats/index/index.h"

#include <algorithm>

#include "bloomery/base/file.h"
#include "bloomery/hash/xxh.h"
#include "bloomery/simd/bit_matrix_kernels.h"
#include "tests/formats/hostile.h"
#include "tests/formats/index/filters_of.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::IndexedFolder;
using testing::lock_of;
using testing::names_of;
using testing::shape_of;

void build_and_compare(const CreateOptions& shape, std::size_t filters,
                       const IndexChangeOptions& options = {}) {
  SCOPED_TRACE(::testing::Message() << filters << " filters");
  IndexedFolder folder{shape};
  const auto made = folder.add_many(filters);
  const auto built = build_index(made, folder.index(), {}, options);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->filters, filters);
  EXPECT_EQ(built->dead_bytes, 0U);
  folder.expect_same_answers(names_of(made));
}

TEST(FilterIndex, AnswersAsEachFilterDoes) {
  for (const std::size_t filters : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 200U})
    build_and_compare(shape_of(Layout::kBlock, 512 * 5, 8), filters);
  build_and_compare(shape_of(Layout::kBlock, 512 * 3, 5), 1000);
}

TEST(FilterIndex, HoldsEveryKindOfOneArrayOfBits) {
  for (const std::uint32_t probes : {4U, 5U, 6U, 7U, 8U})
    build_and_compare(shape_of(Layout::kBlock, 512 * 4, probes), 65);
  for (const std::uint32_t probes : {16U, 24U, 32U})
    build_and_compare(shape_of(Layout::kLines, 512 * 12, probes), 65);
  for (const std::uint64_t bits : {64U, 100U, 1000U, 4097U})
    build_and_compare(shape_of(Layout::kClassic, bits, 3), 65);
  build_and_compare(shape_of(Layout::kClassic, 1, 1), 3);
  for (const std::uint32_t counter_bits : {2U, 4U, 8U}) {
    auto shape = shape_of(Layout::kCounting, 1001, 4);
    shape.counter_bits = counter_bits;
    build_and_compare(shape, 65);
  }
}

TEST(FilterIndex, HashesAsItsFiltersDo) {
  for (const Profile profile : {Profile::kXxh3, Profile::kAes, Profile::kXxh3_64}) {
    auto shape = shape_of(Layout::kBlock, 512 * 3, 6);
    shape.profile = profile;
    shape.seed = 77;
    build_and_compare(shape, 20);
    shape.funnel = FunnelName::kU64;
    build_and_compare(shape, 20);
  }
  auto mix = shape_of(Layout::kLines, 512 * 8, 16);
  mix.profile = Profile::kMix;
  mix.funnel = FunnelName::kU64;
  build_and_compare(mix, 20);
  auto keyed = shape_of(Layout::kClassic, 777, 5);
  keyed.profile = Profile::kSiphash;
  keyed.sip_key = sip_key_from_secret(bytes_of("open sesame"));
  build_and_compare(keyed, 20);
}

TEST(FilterIndex, NeedsTheSecretOfKeyedFilters) {
  auto keyed = shape_of(Layout::kBlock, 512, 8);
  keyed.profile = Profile::kSiphash;
  keyed.sip_key = sip_key_from_secret(bytes_of("open sesame"));
  IndexedFolder folder{keyed};
  ASSERT_TRUE(build_index(folder.add_many(3), folder.index(), {}));
  const auto without = FilterIndex::open(folder.index(), {});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::kInvalidArgument);
  DecodeOptions other;
  other.sip_key = sip_key_from_secret(bytes_of("another"));
  EXPECT_FALSE(FilterIndex::open(folder.index(), other));
}

// The same file whatever the memory: stretches of one cache line per filter, and all at once.
TEST(FilterIndex, IsTheSameFileWithLittleMemory) {
  for (const Layout layout : {Layout::kBlock, Layout::kClassic, Layout::kCounting}) {
    IndexedFolder folder{shape_of(layout, 512 * 37, layout == Layout::kBlock ? 8 : 3)};
    const auto filters = folder.add_many(77);
    ASSERT_TRUE(build_index(filters, folder.index(), {}));
    const auto whole = read_file(folder.index(), {});
    IndexChangeOptions little;
    struct Progress {
      std::uint64_t last = 0;
      std::size_t calls = 0;
    } progress;
    little.progress.report = [](void* receiver, std::uint64_t done, std::uint64_t all) {
      auto& [last, calls] = *static_cast<Progress*>(receiver);
      EXPECT_GT(done, last);
      EXPECT_LE(done, all);
      last = done;
      ++calls;
    };
    little.progress.receiver = &progress;
    for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{50'000}}) {
      little.memory = memory;
      progress.last = 0;
      ASSERT_TRUE(
          build_index(filters, folder.path("again"), lock_of(folder.path("again")), little));
      EXPECT_EQ(*read_file(folder.path("again"), {}), *whole);
    }
    EXPECT_GT(progress.calls, 37U);
  }
}

TEST(FilterIndex, RefusesFiltersThatDiffer) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 4, 8)};
  const FilterToIndex first = folder.add("first", 1);
  const auto refusal = [&](CreateOptions shape) {
    auto other = create_native(shape);
    EXPECT_TRUE(other) << other.error().message;
    const std::string path = folder.path("other");
    EXPECT_TRUE(std::visit([&](const auto& one) { return save_native(one, path); }, *other));
    const auto built =
        build_index(std::vector<FilterToIndex>{first, {path, "other"}}, folder.index(), {});
    EXPECT_FALSE(built);
    if (built) return std::string{};
    EXPECT_TRUE(built.error().message.starts_with(path)) << built.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder.index()));
    return built.error().message.substr(path.size() + 2);
  };
  const auto base = shape_of(Layout::kBlock, 512 * 4, 8);
  EXPECT_TRUE(
      refusal(shape_of(Layout::kBlock, 512 * 5, 8)).starts_with("its number of bits is 2560"));
  EXPECT_TRUE(
      refusal(shape_of(Layout::kBlock, 512 * 4, 7)).starts_with("its number of probes is 7"));
  EXPECT_TRUE(refusal(shape_of(Layout::kLines, 512 * 4, 16)).starts_with("its layout is lines"));
  EXPECT_TRUE(refusal(shape_of(Layout::kClassic, 512 * 4, 8)).starts_with("its layout is classic"));
  auto seed = base;
  seed.seed = 5;
  EXPECT_TRUE(refusal(seed).starts_with("its seed is 5"));
  auto hash = base;
  hash.profile = Profile::kAes;
  EXPECT_TRUE(refusal(hash).starts_with("its hash is aes"));
  auto funnel = base;
  funnel.funnel = FunnelName::kI32;
  EXPECT_TRUE(refusal(funnel).starts_with("its funnel is i32"));
  auto seeded = base;
  seeded.seeded = true;
  EXPECT_TRUE(refusal(seeded).starts_with("a seeded filter"));
  CreateOptions scalable;
  scalable.layout = Layout::kScalable;
  scalable.sizing.keys = 10;
  scalable.sizing.rate = 0.01;
  EXPECT_TRUE(refusal(scalable).starts_with("a scalable filter"));
}

TEST(FilterIndex, RefusesFiltersThatAreDamaged) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512 * 4, 8)};
  const auto filters = folder.add_many(3);
  const auto good = *read_file(filters[1].path, {});
  for (const std::size_t at : {std::size_t{30}, good.size() - 1}) {
    Bytes bad = good;
    bad[at] ^= std::byte{1};
    ASSERT_TRUE(save_file(filters[1].path, bad));
    const auto built = build_index(filters, folder.index(), {});
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().code, ErrorCode::kMalformed);
    EXPECT_TRUE(built.error().message.starts_with(filters[1].path)) << built.error().message;
  }
  ASSERT_TRUE(save_file(filters[1].path, ByteView{good}.first(good.size() - 64)));
  EXPECT_FALSE(build_index(filters, folder.index(), {}));
  ASSERT_TRUE(save_file(filters[1].path, good));
  EXPECT_TRUE(build_index(filters, folder.index(), {}));
  EXPECT_FALSE(build_index({}, folder.path("none"), {}));
  EXPECT_FALSE(
      build_index(std::vector<FilterToIndex>{filters[0], filters[0]}, folder.path("none"), {}));
  for (const std::string& name : {std::string{}, std::string{"a\nb"}, std::string(5000, 'x')})
    EXPECT_FALSE(
        build_index(std::vector<FilterToIndex>{{filters[0].path, name}}, folder.path("none"), {}));
}

TEST(FilterIndex, VerifyFindsEveryDamagedByte) {
  IndexedFolder folder{shape_of(Layout::kClassic, 100, 3)};
  ASSERT_TRUE(build_index(folder.add_many(11), folder.index(), {}));
  const auto good = *read_file(folder.index(), {});
  const auto directory = decode_index_directory(good, {});
  ASSERT_TRUE(directory);
  std::size_t padding = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x10};
    const auto opened = IndexView::open(bad, {});
    const bool is_found = !opened || !opened->verify();
    const IndexSegment& segment = directory->segments[0];
    const bool is_padding =
        (at >= kIndexHeaderBytes && at < segment.offset) ||
        (at >= segment.offset + segment.rows_bytes(100) && at < segment.sums_offset(100));
    padding += is_padding;
    EXPECT_EQ(is_found, !is_padding) << at;
    if (opened) {
      IndexAnswers answers;
      const ByteView key = bytes_of("key 1");
      opened->find(std::span{&key, 1}, answers);
      for (const std::uint64_t column : answers[0]) EXPECT_LT(column, 11U);
    }
  }
  EXPECT_LT(padding, kIndexPage);
}

TEST(FilterIndex, FindsNoFilterBehindTheLast) {
  IndexedFolder folder{shape_of(Layout::kClassic, 100, 3)};
  ASSERT_TRUE(build_index(folder.add_many(11), folder.index(), {}));
  auto bytes = *read_file(folder.index(), {});
  for (std::size_t row = 0; row < 100; ++row)
    bytes[kIndexPage + 2 * row + 1] |= std::byte{0x1f};  // the five bits that no filter has
  const auto opened = IndexView::open(bytes, {});
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->verify());
  IndexAnswers answers;
  const ByteView key = bytes_of("key 1");
  opened->find(std::span{&key, 1}, answers);
  for (const std::uint64_t column : answers[0]) EXPECT_LT(column, 11U);
}

// With its checksums put right, so that the other checks are reached.
Bytes with_right_sums(Bytes bytes) {
  const auto offset = load_le<std::uint64_t>(bytes.data() + 24);
  const auto size = load_le<std::uint64_t>(bytes.data() + 32);
  if (offset <= bytes.size() && size <= bytes.size() - offset)
    store_le(bytes.data() + 40, xxh3_64(ByteView{bytes}.subspan(static_cast<std::size_t>(offset),
                                                                static_cast<std::size_t>(size))));
  store_le(bytes.data() + 504, xxh3_64(ByteView{bytes}.first(504)));
  return bytes;
}

TEST(FilterIndex, SurvivesHostileBytes) {
  IndexedFolder folder{shape_of(Layout::kBlock, 512, 8)};
  ASSERT_TRUE(build_index(folder.add_many(9), folder.index(), {}));
  const auto good = *read_file(folder.index(), {});
  const auto open = [](ByteView bytes) { return IndexView::open(bytes, {}); };
  const auto ask = [](const IndexView& view) {
    IndexAnswers answers;
    const ByteView key = bytes_of("key 1");
    view.find(std::span{&key, 1}, answers);
    (void)view.verify();
  };
  testing::survive_hostile_bytes(good, open, ask);
  const auto directory = static_cast<std::size_t>(load_le<std::uint64_t>(good.data() + 24));
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (std::size_t at = 16; at + 8 <= good.size(); at += at < 192 || at >= directory ? 1 : 4096)
    for (const std::uint64_t field :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 60,
          (std::uint64_t{1} << 61) + 7, std::uint64_t{1} << 63, UINT64_MAX}) {
      Bytes bad = good;
      std::memcpy(bad.data() + at, &field, sizeof field);
      ++tried;
      refused += testing::survive(with_right_sums(std::move(bad)), open, ask);
    }
  EXPECT_GT(refused, tried / 2);
  EXPECT_EQ(IndexView::open(good, {.limits = {.max_bytes = 100}}).error().code,
            ErrorCode::kTooLarge);
}

// A second writing by tests/golden/index/make.py.
TEST(FilterIndex, ReadsTheGoldenFiles) {
  const auto golden = testing::golden_json("index/index.json");
  for (const auto& one : golden.at("files")) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const std::string path = BLOOMERY_GOLDEN_DIR "/index/" + one.at("id").get<std::string>();
    DecodeOptions options;
    if (one.contains("secret"))
      options.sip_key = sip_key_from_secret(testing::from_hex(one.at("secret").get<std::string>()));
    const auto index = FilterIndex::open(path + ".bloomindex", options);
    ASSERT_TRUE(index) << index.error().message;
    const IndexView& view = index->view();
    EXPECT_TRUE(view.verify());
    for (const auto& [key, names] : one.at("answers").items()) {
      const Bytes bytes = testing::from_hex(key);
      const ByteView asked = bytes;
      IndexAnswers answers;
      view.find(std::span{&asked, 1}, answers);
      std::vector<std::string> found;
      for (const std::uint64_t column : answers[0]) found.emplace_back(view.filter(column).name);
      EXPECT_EQ(found, names.get<std::vector<std::string>>()) << key;
    }
    if (!one.contains("filters")) continue;
    ScratchFolder scratch;
    std::vector<FilterToIndex> filters;
    for (const auto& name : one.at("filters"))
      filters.push_back({BLOOMERY_GOLDEN_DIR "/native/" + name.get<std::string>(), name});
    ASSERT_TRUE(build_index(filters, scratch / "built", {}));
    EXPECT_EQ(*read_file(scratch / "built", {}), *read_file(path + ".bloomindex", {}));
  }
}

}  // namespace
}  // namespace bloomery
