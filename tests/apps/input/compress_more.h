// More compressors, of what tests of apps/input alone read.
#pragma once
#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>

#include <string>

#include "tests/apps/input/compress.h"

namespace bloomery::testing {

inline std::string xz(const std::string& plain) {
  std::string packed(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                              reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                              reinterpret_cast<std::uint8_t*>(packed.data()), &size,
                              packed.size()) != LZMA_OK)
    return {};
  packed.resize(size);
  return packed;
}

// Blocks of this many bytes, which threads decompress at once, as xz -T writes them.
inline std::string xz_blocks(const std::string& plain, std::uint64_t block_bytes) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_mt several{};
  several.threads = 2;
  several.block_size = block_bytes;
  several.preset = 1;
  several.check = LZMA_CHECK_CRC64;
  if (lzma_stream_encoder_mt(&stream, &several) != LZMA_OK) return {};
  std::string packed(plain.size() + plain.size() / 2 + 65536, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(plain.data());
  stream.avail_in = plain.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = packed.size();
  lzma_ret code = LZMA_OK;
  while (code == LZMA_OK) code = lzma_code(&stream, LZMA_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  lzma_end(&stream);
  return code == LZMA_STREAM_END ? packed : std::string{};
}

inline std::string bzip2(const std::string& plain) {
  std::string packed(plain.size() + plain.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(packed.size());
  if (BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(plain.data()),
                               static_cast<unsigned>(plain.size()), 1, 0, 0) != BZ_OK)
    return {};
  packed.resize(size);
  return packed;
}

inline std::string lz4(const std::string& plain) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string packed(LZ4F_compressFrameBound(plain.size(), &preferences), '\0');
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), plain.data(), plain.size(), &preferences));
  return packed;
}

}  // namespace bloomery::testing
