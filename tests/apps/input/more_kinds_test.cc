// The decoders that need libraries of their own; built where all of these are there.
#include <gtest/gtest.h>

#include <vector>

#include "apps/input/input.h"
#include "tests/apps/cli/temporary_file.h"
#include "tests/apps/input/compress_more.h"

namespace bloomery::input {
namespace {

using ::bloomery::testing::TemporaryFile;

struct Kind {
  Compression compression;
  std::string (*pack)(const std::string& plain);
};
const std::vector<Kind> kKinds{{Compression::kGzip, testing::gzip},
                               {Compression::kZstd, testing::zstd},
                               {Compression::kXz, testing::xz},
                               {Compression::kBzip2, testing::bzip2},
                               {Compression::kLz4, testing::lz4}};

std::string content_of(const std::string& bytes, std::size_t piece = 1000,
                       InputOptions options = {}) {
  const TemporaryFile file{bytes};
  auto input = Input::open(file.path(), std::move(options));
  std::string all;
  std::vector<std::byte> buffer(piece);
  for (;;) {
    const auto got = input ? input->read(buffer) : Result<std::size_t>{input.error()};
    if (!got) return "error: " + without_name(got.error(), file.path()).message;
    if (*got == 0) return all;
    all += text_of(ByteView{buffer}.first(*got));
  }
}

std::string lines(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += "line " + std::to_string(i * 7919U) + "\n";
  return text;
}

TEST(Xz, IsReadByThreadsAsByOne) {
  const std::string text = lines(200'000);
  const std::string blocks = testing::xz_blocks(text, 100'000);
  ASSERT_FALSE(blocks.empty());
  const std::string packed = blocks + std::string(8, '\0') + testing::xz(text) + blocks;
  for (const std::uint32_t threads : {1U, 2U, 5U})
    for (const std::size_t piece : {std::size_t{999}, std::size_t{1} << 20}) {
      const InputOptions options{.threads = threads};
      EXPECT_TRUE(content_of(blocks, piece, options) == text) << threads;
      EXPECT_TRUE(content_of(packed, piece, options) == text + text + text) << threads;
    }
}

TEST(Xz, ThatIsCutOrCorruptIsAnErrorWithThreadsToo) {
  const std::string blocks = testing::xz_blocks(lines(200'000), 100'000);
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    const InputOptions options{.threads = threads};
    for (const std::size_t size : {blocks.size() / 3, blocks.size() - 1, blocks.size() - 30})
      EXPECT_EQ(content_of(blocks.substr(0, size), 5000, options),
                "error: the xz data end early; the file is incomplete (after byte " +
                    std::to_string(size) + " of the compressed data)")
          << threads << " " << size;
    std::string corrupt = blocks;
    corrupt[blocks.size() / 2] = static_cast<char>(corrupt[blocks.size() / 2] ^ 1);
    EXPECT_EQ(content_of(corrupt, 5000, options).substr(0, 34),
              "error: the xz data are broken: the");
    EXPECT_EQ(content_of(blocks + "other bytes that follow", 5000, options).substr(0, 30),
              "error: the xz data are broken:");
  }
}

TEST(EveryCompression, IsDistinguishedFromOtherBytes) {
  for (const Compression how : {Compression::kGzip, Compression::kZstd, Compression::kXz,
                                Compression::kBzip2, Compression::kLz4})
    for (const std::string text : {"a", "some text\n", "a longer text, longer than a header\n"}) {
      const InputOptions options{.decompress = how, .way_around = "-Z none"};
      EXPECT_EQ(content_of(text, 5000, options),
                "error: it is not " + std::string{compression_name(how)} + " data; -Z none");
    }
}

TEST(EveryCompression, IsReadInPiecesOfAnySize) {
  const std::string text = lines(50'000);
  for (const Kind& kind : kKinds) {
    const std::string packed = kind.pack(text);
    EXPECT_EQ(recognise(bytes_of(packed)), kind.compression);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, std::size_t{1} << 21})
      EXPECT_EQ(content_of(packed, piece), text) << compression_name(kind.compression);
    EXPECT_EQ(content_of(kind.pack("")), "") << compression_name(kind.compression);
  }
}

TEST(EveryCompression, MayBeConcatenated) {
  for (const Kind& kind : kKinds)
    EXPECT_EQ(content_of(kind.pack("one\n") + kind.pack("") + kind.pack("two\n")), "one\ntwo\n")
        << compression_name(kind.compression);
}

// So many bytes of it are no text.
std::size_t least_cut(Compression compression) {
  if (compression == Compression::kBzip2) return 4;
  return compression == Compression::kZstd ? 2 : 1;
}

TEST(EveryCompression, NoticesWhereItWasCut) {
  for (const Kind& kind : kKinds) {
    const std::string packed = kind.pack(lines(10));
    for (std::size_t size = least_cut(kind.compression); size < packed.size(); ++size)
      EXPECT_EQ(content_of(packed.substr(0, size)).substr(0, 6), "error:")
          << compression_name(kind.compression) << " cut at " << size;
    EXPECT_EQ(content_of(packed.substr(0, packed.size() - 1)),
              "error: the " + std::string{compression_name(kind.compression)} +
                  " data end early; the file is incomplete (after byte " +
                  std::to_string(packed.size() - 1) + " of the compressed data)");
  }
}

TEST(EveryCompression, NoticesOtherBytesBehindIt) {
  for (const Kind& kind : kKinds)
    EXPECT_EQ(content_of(kind.pack("one\n") + "garbage that is long enough").substr(0, 6), "error:")
        << compression_name(kind.compression);
}

TEST(EveryCompression, NoticesDamage) {
  for (const Kind& kind : kKinds) {
    if (kind.compression == Compression::kZstd) continue;  // has a checksum only where asked for
    std::string packed = kind.pack(lines(20'000));
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x10);
    EXPECT_EQ(content_of(packed).substr(0, 6), "error:") << compression_name(kind.compression);
  }
}

TEST(EveryCompression, IsTakenForWhatTheUserSays) {
  for (const Kind& kind : kKinds) {
    const InputOptions how{.decompress = kind.compression};
    EXPECT_EQ(content_of(kind.pack("one\n"), 100, how), "one\n");
    EXPECT_EQ(content_of("one line that is plain\n", 100, how).substr(0, 6), "error:")
        << compression_name(kind.compression);
    const std::string packed = kind.pack("one\n");
    EXPECT_EQ(content_of(packed, 100, {.decompress = Compression::kNone}), packed);
  }
}

TEST(EveryCompression, IsRefusedInsideAnother) {
  for (const Kind& outer : kKinds)
    for (const Kind& inner : kKinds) {
      const std::string twice = outer.pack(inner.pack("one\n"));
      EXPECT_NE(
          content_of(twice).find("error: it is compressed twice, " +
                                 std::string{compression_name(inner.compression)} + " inside " +
                                 std::string{compression_name(outer.compression)}),
          std::string::npos);
      EXPECT_EQ(content_of(twice, 100, {.decompress = outer.compression}), inner.pack("one\n"));
    }
}

TEST(EveryCompression, IsLookedInto) {
  std::string tar(512, '\0');
  tar.replace(0, 5, "a.txt");
  tar.replace(257, 6, std::string("ustar\0", 6));
  for (const Kind& kind : kKinds) {
    EXPECT_NE(content_of(kind.pack(tar)).find("tar archive"), std::string::npos);
    EXPECT_EQ(content_of(kind.pack(tar), 100, {.decompress = kind.compression}), tar);
  }
}

}  // namespace
}  // namespace bloomery::input
