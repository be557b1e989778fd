#include "bloomery/formats/native/native.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "bloomery/base/file.h"
#include "bloomery/formats/native/body.h"
#include "bloomery/formats/native/mapped.h"
#include "tests/formats/golden.h"
#include "tests/formats/hostile.h"
#include "tests/formats/native/mapped_answers.h"

namespace bloomery {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::to_hex;

Bytes golden_file(const std::string& id) {
  auto bytes = read_file(BLOOMERY_GOLDEN_DIR "/native/" + id + ".bloom", {});
  EXPECT_TRUE(bytes) << bytes.error().message;
  return *bytes;
}
nlohmann::json golden_cases() { return testing::golden_json("native/native.json").at("files"); }

std::optional<SipKey> sip_key_of(const nlohmann::json& one) {
  if (!one.contains("secret")) return std::nullopt;
  return sip_key_from_secret(from_hex(one.at("secret").get<std::string>()));
}

CreateOptions create_options_of(const nlohmann::json& one) {
  CreateOptions options;
  const std::string layout = one.at("layout");
  options.layout = layout == "block" ? Layout::kBlock : Layout::kClassic;
  if (layout == "lines") options.layout = Layout::kLines;
  options.seeded = one.contains("seeds");
  if (layout == "counting") options.layout = Layout::kCounting;
  if (layout == "scalable") options.layout = Layout::kScalable;
  options.profile = *find_profile(one.at("profile").get<std::string>());
  options.funnel = *find_funnel(one.at("funnel").get<std::string>());
  options.seed = one.at("seed");
  options.sip_key = sip_key_of(one);
  options.counter_bits = one.value("counter_bits", 4U);
  if (one.contains("goal")) {
    options.sizing.keys = one.at("goal").at(0).get<std::uint64_t>();
    options.sizing.rate = one.at("goal").at(1).get<double>();
  } else {
    options.sizing.bits = one.at("bits").get<std::uint64_t>();
    options.sizing.probes = one.at("probes").get<std::uint32_t>();
  }
  if (one.contains("factor"))
    options.growth = {one.at("factor"), one.at("tightening"), one.at("max_layers")};
  return options;
}

bool ask(const NativeFilter& filter, ByteView key) {
  return std::visit([&](const auto& native) { return native.filter.may_contain(key); }, filter);
}
void add(NativeFilter& filter, ByteView key) {
  std::visit(
      [&](auto& native) {
        std::uint8_t is_new = 0;
        (void)native.filter.insert_batch(std::span<const ByteView>{&key, 1}, std::span{&is_new, 1});
      },
      filter);
}
// The windows that were chosen for the blocks of a filter that is still empty.
void set_seeds(NativeFilter& filter, const nlohmann::json& one) {
  if (!one.contains("seeds")) return;
  BlockFilter& block = std::get<NativeBlock>(filter).filter;
  const std::vector<std::uint8_t> seeds = one.at("seeds");
  std::ranges::copy(std::as_bytes(std::span{seeds}),
                    block.bytes().subspan(block.view().blocks().size()).begin());
}
// The header again, with its checksum made right: so that the other checks are reached.
Bytes resealed(Bytes bytes) {
  if (bytes.size() < kNativeHeaderBytes) return bytes;
  NativeHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::ranges::copy(encode_native_header(header), bytes.begin());
  return bytes;
}
Bytes with_body_sealed(Bytes bytes) {
  const ByteView body = ByteView{bytes}.subspan(kNativeHeaderBytes);
  store_le(bytes.data() + 88, internal::body_checksum(std::span{&body, 1}));
  return resealed(std::move(bytes));
}
template <class T>
Bytes changed(Bytes bytes, std::size_t at, T value) {
  store_le(bytes.data() + at, value);
  return resealed(std::move(bytes));
}
ErrorCode code_of(const Bytes& bytes, const DecodeOptions& options = {}) {
  const auto decoded = decode_native(bytes, options);
  EXPECT_FALSE(decoded);
  return decoded ? ErrorCode::kIo : decoded.error().code;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(Native, GoldenFilesAgree) {
  const auto cases = golden_cases();
  ASSERT_EQ(cases.size(), 20U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const Bytes bytes = golden_file(one.at("id"));
    EXPECT_TRUE(looks_like_native(bytes));
    const auto decoded = decode_native(bytes, {.sip_key = sip_key_of(one)});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(to_hex(encode_native(*decoded)), to_hex(bytes)) << "decode then encode";

    auto built = create_native(create_options_of(one));
    ASSERT_TRUE(built) << built.error().message;
    set_seeds(*built, one);
    for (const auto& key : one.at("keys")) add(*built, from_hex(key.get<std::string>()));
    EXPECT_EQ(to_hex(encode_native(*built)), to_hex(bytes)) << "rebuilt from keys";

    for (const auto& answer : one.at("answers"))
      EXPECT_EQ(ask(*decoded, from_hex(answer.at(0).get<std::string>())),
                answer.at(1).get<int>() == 1)
          << answer.at(0);
    std::visit(
        [&](const auto& native) {
          EXPECT_EQ(native.filter.provenance().keys_inserted,
                    one.at("keys_inserted").get<std::uint64_t>());
          EXPECT_EQ(funnel_name(native.funnel), one.at("funnel").get<std::string>());
        },
        *decoded);
  }
}

TEST(Native, SurvivesHostileBytes) {
  for (const auto& one : golden_cases()) {
    const Bytes good = golden_file(one.at("id"));
    DecodeOptions options{.limits = {.max_bytes = 1 << 20}, .sip_key = sip_key_of(one)};
    const auto use = [](const NativeFilter& filter) {
      (void)ask(filter, bytes_of("a key"));
      std::visit([](const auto& native) { (void)describe(native); }, filter);
    };
    testing::survive_hostile_bytes(
        good, [&](ByteView bytes) { return decode_native(bytes, options); }, use);
    testing::survive_hostile_bytes(
        good,
        [&](ByteView bytes) {
          return decode_native(resealed({bytes.begin(), bytes.end()}), options);
        },
        use);
    testing::survive_hostile_bytes(
        good,
        [&](ByteView bytes) {
          if (bytes.size() < kNativeHeaderBytes) return decode_native(bytes, options);
          return decode_native(with_body_sealed({bytes.begin(), bytes.end()}), options);
        },
        use);
  }
}

TEST(Native, EveryDamagedByteIsNoticed) {
  for (const auto& one : golden_cases()) {
    const Bytes good = golden_file(one.at("id"));
    for (std::size_t at = 0; at < good.size(); ++at) {
      Bytes bad = good;
      bad[at] ^= std::byte{0x10};
      EXPECT_FALSE(decode_native(bad, {.sip_key = sip_key_of(one)})) << at;
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode_native(longer, {.sip_key = sip_key_of(one)}));
  }
}

TEST(Native, EachFieldIsChecked) {
  const Bytes good = golden_file("classic");
  EXPECT_TRUE(decode_native(resealed(good), {}));
  EXPECT_EQ(code_of(changed<std::uint8_t>(good, 0, 'b')), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 8, 2)), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 10, 0)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 10, 2)), ErrorCode::kMalformed);  // no whole block
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 10, 5)), ErrorCode::kMalformed);  // no whole block
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 10, 6)), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 12, 1)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 12, 2)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 16, 9)), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 16, 0x80000001)), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 16, 3)), ErrorCode::kMalformed);  // mix of bytes
  EXPECT_EQ(code_of(changed<std::uint16_t>(good, 20, 77)), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(changed<std::uint8_t>(good, 22, 4)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint8_t>(good, 23, 1)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 24, 0)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 24, 64)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 24, UINT64_MAX)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 32, 0)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 32, 1025)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 36, 2)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 48, 1)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 56, 0)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<double>(good, 64, 1.0)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 80, 8)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<double>(good, 96, 0.5)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint32_t>(good, 108, 1)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of(changed<std::uint64_t>(good, 112, 1)), ErrorCode::kMalformed);
  EXPECT_EQ(code_of({good.begin(), good.begin() + 127}), ErrorCode::kTruncated);
  EXPECT_EQ(code_of({good.begin(), good.end() - 1}), ErrorCode::kTruncated);
  EXPECT_EQ(code_of(good, {.limits = {.max_bytes = 15}}), ErrorCode::kTooLarge);
}

TEST(Native, EachFieldOfAFilterOfLinesIsChecked) {
  const Bytes good = golden_file("lines");  // three blocks, sixteen probes
  EXPECT_TRUE(decode_native(with_body_sealed(good), {}));
  const auto with = [&]<class T>(std::size_t at, T value) {
    return code_of(changed<T>(good, at, value));
  };
  EXPECT_EQ(with(10, std::uint16_t{2}), ErrorCode::kMalformed);  // a block has no sixteen probes
  EXPECT_EQ(with(12, std::uint32_t{1}), ErrorCode::kMalformed);  // lines have no seeds
  EXPECT_EQ(with(22, std::uint8_t{4}), ErrorCode::kMalformed);
  EXPECT_EQ(with(24, std::uint64_t{0}), ErrorCode::kMalformed);
  EXPECT_EQ(with(24, std::uint64_t{1535}), ErrorCode::kMalformed);  // no whole blocks
  EXPECT_EQ(with(24, std::uint64_t{1024}), ErrorCode::kMalformed);  // other blocks than the body's
  for (const std::uint32_t probes : {0U, 4U, 8U, 15U, 17U, 20U, 40U, 1024U})
    EXPECT_EQ(with(32, probes), ErrorCode::kMalformed) << probes;
  EXPECT_TRUE(decode_native(changed<std::uint32_t>(good, 32, 24), {}));  // another filter, but one
  EXPECT_TRUE(decode_native(changed<std::uint32_t>(good, 12, kNativeOpen), {}));
  Bytes block = golden_file("block-8");
  EXPECT_EQ(code_of(changed<std::uint16_t>(block, 10, 5)), ErrorCode::kMalformed);
}

TEST(Native, EachFieldOfABlockFilterIsChecked) {
  const Bytes good = golden_file("block-seeded");  // three blocks, seven probes
  EXPECT_TRUE(decode_native(with_body_sealed(good), {}));
  const auto with = [&]<class T>(std::size_t at, T value) {
    Bytes bad = good;
    store_le(bad.data() + at, value);
    return code_of(with_body_sealed(bad));
  };
  EXPECT_EQ(with(12, std::uint32_t{0}), ErrorCode::kMalformed);  // not seeded: the body is longer
  EXPECT_EQ(with(12, std::uint32_t{8}), ErrorCode::kMalformed);
  EXPECT_EQ(with(22, std::uint8_t{4}), ErrorCode::kMalformed);
  EXPECT_EQ(with(24, std::uint64_t{0}), ErrorCode::kMalformed);
  EXPECT_EQ(with(24, std::uint64_t{1535}), ErrorCode::kMalformed);  // no whole blocks
  EXPECT_EQ(with(24, std::uint64_t{1024}), ErrorCode::kMalformed);  // other blocks than the body's
  EXPECT_EQ(with(24, kMaxBits + 512), ErrorCode::kMalformed);
  EXPECT_EQ(with(24, kMaxBits), ErrorCode::kMalformed);
  EXPECT_EQ(with(32, std::uint32_t{3}), ErrorCode::kMalformed);
  EXPECT_EQ(with(32, std::uint32_t{9}), ErrorCode::kMalformed);
  EXPECT_EQ(with(36, std::uint32_t{2}), ErrorCode::kMalformed);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(with(good.size() - 1 - i, std::uint8_t{32}), ErrorCode::kMalformed);
    EXPECT_EQ(with(good.size() - 1 - i, std::uint8_t{255}), ErrorCode::kMalformed);
  }
  EXPECT_EQ(code_of({good.begin(), good.end() - 1}), ErrorCode::kTruncated);
  EXPECT_EQ(code_of(good, {.limits = {.max_bytes = 194}}), ErrorCode::kTooLarge);
  // Other kinds have no seeds.
  EXPECT_EQ(code_of(changed<std::uint32_t>(golden_file("counting-4"), 12, 1)),
            ErrorCode::kMalformed);
}

TEST(Native, EachFieldOfTheLayersIsChecked) {
  const Bytes good = golden_file("scalable");
  EXPECT_TRUE(decode_native(with_body_sealed(good), {}));
  const auto with = [&]<class T>(std::size_t at, T value) {
    Bytes bad = good;
    store_le(bad.data() + at, value);
    return code_of(with_body_sealed(bad));
  };
  EXPECT_EQ(with(36, std::uint32_t{0}), ErrorCode::kMalformed);
  EXPECT_EQ(with(36, std::uint32_t{6}), ErrorCode::kMalformed);  // more than max_layers
  EXPECT_EQ(with(36, std::uint32_t{2}), ErrorCode::kMalformed);
  EXPECT_EQ(with(72, std::uint64_t{21}), ErrorCode::kMalformed);  // not the sum
  EXPECT_EQ(with(96, 1.0), ErrorCode::kMalformed);
  EXPECT_EQ(with(104, std::uint32_t{0}), ErrorCode::kMalformed);
  EXPECT_EQ(with(108, std::uint32_t{1}), ErrorCode::kMalformed);
  EXPECT_EQ(with(128, std::uint64_t{128}), ErrorCode::kMalformed);  // not the header's shape
  EXPECT_EQ(with(128 + 8, std::uint32_t{0}), ErrorCode::kMalformed);
  EXPECT_EQ(with(128 + 12, std::uint32_t{1}), ErrorCode::kMalformed);
  EXPECT_EQ(with(128 + 24, 0.0), ErrorCode::kMalformed);
  EXPECT_EQ(with(128 + 32, kMaxBits), ErrorCode::kMalformed);
  EXPECT_EQ(with(128 + 96, std::uint64_t{1}), ErrorCode::kMalformed);       // padding of the table
  EXPECT_EQ(with(128 + 128 + 8, std::uint64_t{1}), ErrorCode::kMalformed);  // padding of a layer
}

TEST(Native, BitsPastTheEndAreRefused) {
  Bytes classic = golden_file("classic-seed");  // 100 bits in 16 bytes
  classic.back() = std::byte{0x80};
  EXPECT_EQ(code_of(with_body_sealed(classic)), ErrorCode::kMalformed);
  Bytes counting = golden_file("counting-2");  // 70 counters of 2 bits
  counting.back() = std::byte{0x80};
  EXPECT_EQ(code_of(with_body_sealed(counting)), ErrorCode::kMalformed);
}

TEST(Native, AKeyedFilterOpensWithItsSecretOnly) {
  const Bytes bytes = golden_file("classic-siphash");
  EXPECT_EQ(code_of(bytes), ErrorCode::kInvalidArgument);
  const auto wrong =
      decode_native(bytes, {.sip_key = sip_key_from_secret(bytes_of("open barley"))});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kMalformed);
  EXPECT_NE(wrong.error().message.find("wrong secret"), std::string::npos);
  EXPECT_TRUE(decode_native(bytes, {.sip_key = sip_key_from_secret(bytes_of("open sesame"))}));
  const std::string text{text_of(bytes)};
  const SipKey key = sip_key_from_secret(bytes_of("open sesame"));
  EXPECT_EQ(text.find(text_of(key.bytes)), std::string::npos);
}

TEST(Native, AFileLeftOpenIsReadAndRecounted) {
  Bytes bytes = golden_file("classic");
  store_le(bytes.data() + 12, kNativeOpen);
  store_le(bytes.data() + 72, std::uint64_t{123});  // a stale count
  bytes.back() ^= std::byte{0x0f};                  // and bits that no checksum knows
  const auto opened = decode_native(resealed(bytes), {});
  ASSERT_TRUE(opened) << opened.error().message;
  const auto& native = std::get<NativeClassic>(*opened);
  EXPECT_TRUE(native.was_open);
  EXPECT_LT(*native.filter.provenance().keys_inserted, 20U);
  EXPECT_FALSE(describe(native).has_checksum);
  EXPECT_EQ(describe(native).notes.size(), 2U);
  EXPECT_TRUE(decode_native(encode_native(*opened), {}));  // saved again, it is whole
}

TEST(Native, UnknownGoalsAndCountsStayUnknown) {
  NativeClassic native{ClassicFilter<BloomeryClassic>{Shape{64, 2}}};
  native.filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  const auto decoded = decode_native(encode_native(native), {});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<NativeClassic>(*decoded).filter.provenance(), native.filter.provenance());
}

TEST(Native, SavesAndLoadsTheSameBytes) {
  const TemporaryFolder folder;
  for (const auto& one : golden_cases()) {
    SCOPED_TRACE(one.at("id").get<std::string>());
    const Bytes bytes = golden_file(one.at("id"));
    const DecodeOptions options{.sip_key = sip_key_of(one)};
    const auto decoded = decode_native(bytes, options);
    ASSERT_TRUE(decoded);
    ASSERT_TRUE(save_native(*decoded, folder / "saved.bloom"));
    EXPECT_EQ(*read_file(folder / "saved.bloom", {}), bytes);
    const auto loaded = load_native(folder / "saved.bloom", options);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(encode_native(*loaded), bytes);

    DecodeOptions small = options;
    small.limits.max_bytes = 7;
    EXPECT_EQ(load_native(folder / "saved.bloom", small).error().code, ErrorCode::kTooLarge);
    ASSERT_TRUE(save_file(folder / "short.bloom", ByteView{bytes}.first(bytes.size() - 1)));
    EXPECT_EQ(load_native(folder / "short.bloom", options).error().code, ErrorCode::kTruncated);
  }
  ASSERT_TRUE(save_file(folder / "empty.bloom", ByteView{}));
  EXPECT_EQ(load_native(folder / "empty.bloom", {}).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(load_native(folder / "missing.bloom", {}).error().code, ErrorCode::kIo);
  EXPECT_EQ(load_native(std::filesystem::temp_directory_path(), {}).error().code, ErrorCode::kIo);
}

TEST(Native, LoadsFromAPipe) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Bytes bytes = golden_file("classic");
  std::thread writer{[&] {
    std::ofstream out{pipe, std::ios::binary};
    out << text_of(bytes);
  }};
  const auto loaded = load_native(pipe, {});
  writer.join();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(encode_native(*loaded), bytes);
}

TEST(Native, AMappedFileAnswersAsTheLoadedOne) {
  const TemporaryFolder folder;
  CreateOptions options;
  options.layout = Layout::kClassic;
  options.sizing.keys = 300000;  // 350 KiB: batches fetch ahead
  options.sizing.rate = 0.01;
  auto made = create_native(options);
  ASSERT_TRUE(made);
  auto& native = std::get<NativeClassic>(*made);
  const auto mapped = testing::map_and_compare(native, folder / "m.bloom", 2000);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->health().fill, native.filter.health().fill);
  EXPECT_EQ(mapped->provenance(), native.filter.provenance());
  EXPECT_EQ(mapped->funnel(), FunnelName::kBytes);

  Bytes bytes = encode_native(native);
  bytes.back() ^= std::byte{1};
  ASSERT_TRUE(save_file(folder / "bad.bloom", bytes));
  const auto damaged = MappedNative::open(folder / "bad.bloom", {});
  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged->verify().error().code, ErrorCode::kMalformed);
  ASSERT_TRUE(save_file(folder / "short.bloom", ByteView{bytes}.first(bytes.size() - 8)));
  EXPECT_FALSE(MappedNative::open(folder / "short.bloom", {}));
  ASSERT_TRUE(save_file(folder / "c.bloom", golden_file("counting-4")));
  const auto counting = MappedNative::open(folder / "c.bloom", {});
  ASSERT_TRUE(counting) << counting.error().message;
  EXPECT_TRUE(counting->verify());
}

}  // namespace
}  // namespace bloomery
