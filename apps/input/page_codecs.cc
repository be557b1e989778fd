#include "apps/input/page_codecs.h"

#include <snappy.h>
#include <zstd.h>

#include "apps/input/block_codecs.h"
#include "apps/input/inflate.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

Error broken_codec(ParquetCodec codec) {
  return {ErrorCode::kMalformed,
          message("its ", codec_name(codec), " data are broken: the file is damaged")};
}

Status done_if(bool good, ParquetCodec codec) { return good ? ok() : Status{broken_codec(codec)}; }

Status decompress_snappy(ByteView stored, ByteSpan plain) {
  const char* const packed = reinterpret_cast<const char*>(stored.data());
  std::size_t size = 0;
  return done_if(
      snappy::GetUncompressedLength(packed, stored.size(), &size) && size == plain.size() &&
          snappy::RawUncompress(packed, stored.size(), reinterpret_cast<char*>(plain.data())),
      ParquetCodec::kSnappy);
}

Status decompress_zstd(ByteView stored, ByteSpan plain) {
  const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), stored.data(), stored.size());
  return done_if(ZSTD_isError(got) == 0 && got == plain.size(), ParquetCodec::kZstd);
}

// Through one of the streams of inflate.h, whose data must end with the page.
template <class Stream>
Status decompress_stream(ByteView stored, ByteSpan plain, ParquetCodec codec) {
  Stream stream;
  while (!stored.empty() || !plain.empty()) {
    const auto step = stream.step(stored, plain);
    if (!step || (step->consumed == 0 && step->produced == 0)) return broken_codec(codec);
    stored = stored.subspan(step->consumed);
    plain = plain.subspan(step->produced);
  }
  return done_if(stream.may_end_here(), codec);
}

// Hadoop's framing: pairs of big-endian lengths, plain and stored, before each block.
bool decompress_hadoop_lz4(ByteView stored, ByteSpan plain) {
  constexpr std::size_t kLengths = 8;
  while (stored.size() >= kLengths) {
    const auto plain_bytes = load_be<std::uint32_t>(stored.data());
    const auto stored_bytes = load_be<std::uint32_t>(stored.data() + 4);
    stored = stored.subspan(kLengths);
    if (plain_bytes > plain.size() || stored_bytes > stored.size()) return false;
    if (!decompress_lz4_block(stored.first(stored_bytes), plain.first(plain_bytes))) return false;
    stored = stored.subspan(stored_bytes);
    plain = plain.subspan(plain_bytes);
  }
  return stored.empty() && plain.empty();
}

Status decompress_lz4(ParquetCodec codec, ByteView stored, ByteSpan plain) {
  if (!Lz4Stream::is_built())
    return Error{ErrorCode::kUnsupported,
                 "lz4-compressed pages are not supported in this build, which lacks liblz4"};
  if (codec == ParquetCodec::kLz4Raw) return done_if(decompress_lz4_block(stored, plain), codec);
  // Writers disagreed on what LZ4 means: Hadoop's framing, frames of LZ4, or a bare block.
  if (decompress_hadoop_lz4(stored, plain)) return ok();
  constexpr std::uint32_t kFrameMagic = 0x184d2204;
  if (stored.size() >= 4 && load_le<std::uint32_t>(stored.data()) == kFrameMagic)
    return decompress_stream<Lz4Stream>(stored, plain, codec);
  return done_if(decompress_lz4_block(stored, plain), codec);
}

}  // namespace

Status decompress_page(ParquetCodec codec, ByteView stored, ByteSpan plain) {
  switch (codec) {
    case ParquetCodec::kNone:
      break;
    case ParquetCodec::kSnappy:
      return decompress_snappy(stored, plain);
    case ParquetCodec::kGzip:
      return decompress_stream<GzipStream>(stored, plain, codec);
    case ParquetCodec::kZstd:
      return decompress_zstd(stored, plain);
    case ParquetCodec::kLz4:
    case ParquetCodec::kLz4Raw:
      return decompress_lz4(codec, stored, plain);
    case ParquetCodec::kBrotli:
      if (brotli_is_built()) return done_if(decompress_brotli(stored, plain), codec);
      return Error{ErrorCode::kUnsupported,
                   "brotli-compressed pages are not supported in this build, which lacks "
                   "libbrotlidec"};
    case ParquetCodec::kLzo:
      break;
  }
  return Error{ErrorCode::kUnsupported,
               message("pages compressed with ", codec_name(codec), " are not supported")};
}

}  // namespace bloomery::input
