#include <brotli/decode.h>

#include "apps/input/block_codecs.h"

namespace bloomery::input {

bool brotli_is_built() { return true; }

bool decompress_brotli(ByteView stored, ByteSpan plain) {
  std::size_t size = plain.size();
  return BrotliDecoderDecompress(
             stored.size(), reinterpret_cast<const std::uint8_t*>(stored.data()), &size,
             reinterpret_cast<std::uint8_t*>(plain.data())) == BROTLI_DECODER_RESULT_SUCCESS &&
         size == plain.size();
}

}  // namespace bloomery::input
