#include "apps/input/page_codecs.h"

#include <gtest/gtest.h>

#include "apps/input/block_codecs.h"
#include "apps/input/inflate.h"
#include "tests/apps/input/compress.h"
#include "tests/formats/golden.h"

namespace bloomery::input {
namespace {

using testing::Bytes;
using testing::from_hex;

std::string decompressed(ParquetCodec codec, ByteView stored, std::size_t size) {
  std::string plain(size, '?');
  const auto done = decompress_page(codec, stored, std::as_writable_bytes(std::span{plain}));
  return done ? plain : message("error: ", done.error().message);
}

std::string of_hex(ParquetCodec codec, const std::string& hex, std::size_t size = 5) {
  return decompressed(codec, from_hex(hex), size);
}

constexpr const char* kHello = "68656c6c6f";

TEST(PageCodecs, ReadSnappy) {
  EXPECT_EQ(of_hex(ParquetCodec::kSnappy, std::string{"0510"} + kHello), "hello");
  EXPECT_EQ(of_hex(ParquetCodec::kSnappy, std::string{"0510"} + kHello, 6),
            "error: its snappy data are broken: the file is damaged");
  EXPECT_EQ(of_hex(ParquetCodec::kSnappy, std::string{"0514"} + kHello),
            "error: its snappy data are broken: the file is damaged");
}

TEST(PageCodecs, ReadEveryFormOfLz4) {
  if (!Lz4Stream::is_built()) GTEST_SKIP() << "built without liblz4";
  const std::string block = std::string{"50"} + kHello;
  EXPECT_EQ(of_hex(ParquetCodec::kLz4Raw, block), "hello");
  EXPECT_EQ(of_hex(ParquetCodec::kLz4,
                   "00000005"
                   "00000006" +
                       block),
            "hello");
  EXPECT_EQ(of_hex(ParquetCodec::kLz4,
                   "00000005"
                   "00000006" +
                       block +
                       "00000005"
                       "00000006" +
                       block,
                   10),
            "hellohello");
  EXPECT_EQ(of_hex(ParquetCodec::kLz4, block), "hello");
  EXPECT_EQ(of_hex(ParquetCodec::kLz4,
                   "00000005"
                   "00000007" +
                       block),
            "error: its lz4 data are broken: the file is damaged");
  EXPECT_EQ(of_hex(ParquetCodec::kLz4Raw, block, 4),
            "error: its lz4_raw data are broken: the file is damaged");
}

TEST(PageCodecs, ReadBrotli) {
  if (!brotli_is_built()) GTEST_SKIP() << "built without libbrotlidec";
  EXPECT_EQ(of_hex(ParquetCodec::kBrotli, std::string{"0b0280"} + kHello + "03"), "hello");
  EXPECT_EQ(of_hex(ParquetCodec::kBrotli, std::string{"0b0280"} + kHello, 5),
            "error: its brotli data are broken: the file is damaged");
}

TEST(PageCodecs, ReadGzipAndZstd) {
  for (const auto& [codec, stored] : {std::pair{ParquetCodec::kGzip, testing::gzip("hello")},
                                      std::pair{ParquetCodec::kZstd, testing::zstd("hello")}}) {
    const ByteView bytes = bytes_of(stored);
    EXPECT_EQ(decompressed(codec, bytes, 5), "hello");
    EXPECT_NE(decompressed(codec, bytes, 4), "hell") << codec_name(codec);
    EXPECT_TRUE(decompressed(codec, bytes, 6).starts_with("error: ")) << codec_name(codec);
    EXPECT_TRUE(decompressed(codec, bytes.first(bytes.size() - 3), 5).starts_with("error: "));
  }
}

TEST(PageCodecs, NameTheCodecThatIsNotSupported) {
  EXPECT_EQ(of_hex(ParquetCodec::kLzo, "00"), "error: pages compressed with lzo are not supported");
}

}  // namespace
}  // namespace bloomery::input
