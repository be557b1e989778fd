// Stored bit vectors of a log index: two bytes say the length that the index expects, below 2048,
// the rest is what the database gave. What is accepted must be the one encoding of what it gives.
#include <algorithm>
#include <cstdlib>

#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "bloomery/base/endian.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const ByteView input = std::as_bytes(std::span{data, size});
  if (input.size() < 2) return 0;
  const std::size_t length = load_le<std::uint16_t>(input.data()) % 2048;
  const ByteView stored = input.subspan(2);
  if (const auto vector = ethlog::decompress_vector(stored, length)) {
    if (vector->size() != length) std::abort();
    const auto again = ethlog::decompress_vector(ethlog::compress_vector(*vector), length);
    if (!again || *again != *vector) std::abort();
  }
  if (const auto vector = ethlog::decode_sparse(stored, length)) {
    const auto encoded = ethlog::encode_sparse(*vector);
    if (encoded.size() != stored.size() ||
        !std::equal(encoded.begin(), encoded.end(), stored.begin()))
      std::abort();
  }
  return 0;
}
