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
