#include "bloomery/formats/set/manifest.h"

#include <gtest/gtest.h>

#include "bloomery/base/message.h"
#include "bloomery/hash/xxh.h"
#include "tests/formats/hostile.h"

namespace bloomery {
namespace {

NativeHeader header_of(Part part, std::uint64_t checksum) {
  NativeHeader header =
      native_header_for(KeyHash{Hasher{Profile::kXxh3_64, 7}}, FunnelName::kBytes);
  header.kind = NativeKind::kBlock;
  header.flags = kNativePart;
  header.bits = 10 * block::kBlockBits;
  header.probes = 6;
  header.part_index = part.index;
  header.part_count = part.parts;
  header.set_provenance({Goal{500, 0.01}, 100 + part.index});
  header.body_bytes = part_bytes(header.block_shape(), part);
  header.body_checksum = checksum;
  return header;
}

std::vector<PartHeader> three_parts() {
  std::vector<PartHeader> parts;
  for (std::uint32_t i = 0; i < 3; ++i)
    parts.push_back(
        {message("a \"b\" \\ ü/seen.", i, "-of-3.bloom"), header_of({i, 3}, 0xabc0 + i)});
  return parts;
}

SetManifest manifest() { return *manifest_of(three_parts()); }

std::string with_checksum(std::string covered) {
  std::string digits(16, '0');
  std::uint64_t sum = xxh3_64(bytes_of(covered));
  for (std::size_t i = 16; i-- > 0; sum >>= 4) digits[i] = "0123456789abcdef"[sum % 16];
  return covered + "  \"checksum\": \"" + digits + "\"\n}\n";
}
std::string covered_text() {
  const std::string text = encode_manifest(manifest());
  return text.substr(0, text.rfind("  \"checksum\""));
}
std::string refusal(const std::string& text) {
  const auto decoded = decode_manifest(bytes_of(text), {});
  return decoded ? std::string{} : decoded.error().message;
}
// The error of a manifest in which one text stands for another, with a checksum that fits.
std::string refusal_of(const std::string& from, const std::string& to) {
  std::string text = covered_text();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return refusal(with_checksum(text));
}

TEST(Manifest, ReadsWhatItWrote) {
  const SetManifest wanted = manifest();
  const std::string text = encode_manifest(wanted);
  const auto back = decode_manifest(bytes_of(text), {});
  ASSERT_TRUE(back) << back.error().message << text;
  EXPECT_EQ(back->parts, wanted.parts);
  EXPECT_EQ(encode_native_header(back->whole), encode_native_header(wanted.whole));
  EXPECT_EQ(encode_manifest(*back), text);
  EXPECT_TRUE(looks_like_manifest(bytes_of(text)));
  EXPECT_EQ(back->whole.keys_inserted, 303U);
}

// The text is a contract, as the bytes of our other files are.
TEST(Manifest, TextIsFixed) {
  EXPECT_EQ(encode_manifest(manifest()), R"({
  "format": "bloomery-set",
  "version": 1,
  "filter": {"layout": "block", "seeded": false, "bits": 5120, "probes": 6,
    "hash": "xxh3-64", "seed": 7, "secret_check": "0000000000000000", "funnel": "bytes",
    "keys": 500, "rate": 0.01, "keys_inserted": 303},
  "parts": [
    {"file": "a \"b\" \\ ü/seen.0-of-3.bloom", "bytes": 320, "checksum": "000000000000abc0", "keys_inserted": 100},
    {"file": "a \"b\" \\ ü/seen.1-of-3.bloom", "bytes": 320, "checksum": "000000000000abc1", "keys_inserted": 101},
    {"file": "a \"b\" \\ ü/seen.2-of-3.bloom", "bytes": 384, "checksum": "000000000000abc2", "keys_inserted": 102}
  ],
  "checksum": "f193e049eb0dd709"
}
)");
}

TEST(Manifest, KeepsRateSeedAndMissingNumbers) {
  auto parts = three_parts();
  for (PartHeader& part : parts) {
    part.header.seed = UINT64_MAX;
    part.header.set_provenance({std::nullopt, std::nullopt});
  }
  const auto made = manifest_of(parts);
  ASSERT_TRUE(made);
  const auto back = decode_manifest(bytes_of(encode_manifest(*made)), {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->whole.seed, UINT64_MAX);
  EXPECT_EQ(back->whole.provenance(), (Provenance{std::nullopt, std::nullopt}));
  EXPECT_EQ(back->parts[0].keys_inserted, std::nullopt);
  for (PartHeader& part : parts) part.header.set_provenance({Goal{1, 0.1 + 0.2}, 0});
  const auto odd = decode_manifest(bytes_of(encode_manifest(*manifest_of(parts))), {});
  ASSERT_TRUE(odd) << odd.error().message;
  EXPECT_EQ(odd->whole.goal_rate, 0.1 + 0.2);
}

TEST(Manifest, EveryChangedByteIsNoticed) {
  const std::string good = encode_manifest(manifest());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 1;
    EXPECT_NE(refusal(bad), "") << at;
  }
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length)), "") << length;
  EXPECT_NE(refusal(good + "\n"), "");
}

TEST(Manifest, FieldsThatMakeNoFilterAreRefused) {
  EXPECT_EQ(refusal(with_checksum(covered_text())), "");
  EXPECT_EQ(refusal_of("\"version\": 1", "\"version\": 2"),
            "this is version 2 of the manifest, and only version 1 is known here");
  EXPECT_EQ(refusal_of("seen.1", "../seen.1"),
            "part 1: the file name must be relative to the manifest, without \"..\" and control "
            "characters");
  EXPECT_EQ(refusal_of("\"bytes\": 384", "\"bytes\": 385"),
            "part 2 has 384 bytes, and the manifest says 385");
  EXPECT_NE(refusal_of("\"bits\": 5120", "\"bits\": 5121"), "");
  EXPECT_NE(refusal_of("\"bits\": 5120", "\"bits\": 512"), "");
  EXPECT_NE(refusal_of("\"bits\": 5120", "\"bits\": 18446744073709551104"), "");
  EXPECT_NE(refusal_of("\"bits\": 5120", "\"bits\": 18446744073709551616"), "");
  EXPECT_NE(refusal_of("\"bits\": 5120", "\"bits\": -1"), "");
  EXPECT_NE(refusal_of("\"probes\": 6", "\"probes\": 16"), "");
  EXPECT_NE(refusal_of("\"xxh3-64\"", "\"md5\""), "");
  EXPECT_NE(refusal_of("\"xxh3-64\"", "\"siphash\""), "");
  EXPECT_NE(refusal_of("\"block\"", "\"classic\""), "");
  EXPECT_NE(refusal_of("\"rate\": 0.01", "\"rate\": 2"), "");
  EXPECT_NE(refusal_of("\"rate\": 0.01", "\"rate\": 1e999"), "");
  EXPECT_NE(refusal_of("\"version\": 1,", ""), "");
  EXPECT_NE(refusal_of("000000000000abc0", "abc0"), "");
  EXPECT_NE(refusal_of("\"parts\": [", "\"others\": ["), "");
  EXPECT_NE(refusal_of("\"parts\": [", "\"parts\": [[], "), "");
}

TEST(Manifest, LimitBoundsItsBytes) {
  const std::string text = encode_manifest(manifest());
  EXPECT_EQ(decode_manifest(bytes_of(text), {.max_bytes = 100}).error().code, ErrorCode::kTooLarge);
}

TEST(Manifest, PartsThatAreMissingTwiceThereOrForeignAreNamed) {
  const auto refused = [](auto change) {
    auto parts = three_parts();
    for (std::uint32_t i = 0; i < 3; ++i) parts[i].file = message("p", i);
    change(parts);
    const auto made = manifest_of(parts);
    return made ? std::string{} : made.error().message;
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_EQ(refused([](auto& parts) { parts.clear(); }), "no parts are given");
  EXPECT_EQ(refused([](auto& parts) { parts.erase(parts.begin() + 1); }),
            "part 1 of 3 is missing; build it, or name its file");
  EXPECT_EQ(refused([](auto& parts) { parts.pop_back(); }),
            "part 2 of 3 is missing; build it, or name its file");
  EXPECT_EQ(refused([](auto& parts) {
              parts.push_back({"again", parts[1].header});
            }),
            "again: part 1 is there twice; p1 is the other one");
  EXPECT_EQ(refused([](auto& parts) { parts[1].header.probes = 7; }),
            "p1: it is a part of another filter than p0: its number of probes differs");
  EXPECT_EQ(refused([](auto& parts) { parts[1].header.seed = 8; }),
            "p1: it is a part of another filter than p0: its hash differs");
  EXPECT_EQ(refused([](auto& parts) { parts[1].header.goal_keys = 8; }),
            "p1: it is a part of another filter than p0: it was made for another goal");
  EXPECT_EQ(refused([](auto& parts) { parts[1].header.part_count = 4; }),
            "p1: it is one of 4 parts, and p0 is one of 3");
  EXPECT_EQ(refused([](auto& parts) { parts[1].header.flags = 0; }),
            "p1: it is a whole filter, not a part");
}

TEST(Manifest, NamesStayBelowItsFolder) {
  for (const std::string_view good : {"a", "a/b", "a..b", "...", "ü", "a b", "a\"b\\c"})
    EXPECT_TRUE(is_part_file_name(good)) << good;
  for (const std::string_view bad :
       {"", "/a", "a/", "a//b", "..", "../a", "a/..", "a/../b", ".", "./a", "a\nb", "\x7f", "\xff"})
    EXPECT_FALSE(is_part_file_name(bad)) << bad;
}

}  // namespace
}  // namespace bloomery
