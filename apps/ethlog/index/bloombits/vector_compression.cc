#include "apps/ethlog/index/bloombits/vector_compression.h"

#include <algorithm>
#include <bit>

namespace bloomery::ethlog {
namespace {

using Bytes = std::vector<std::byte>;

Error malformed(std::string_view text) { return {ErrorCode::kMalformed, std::string{text}}; }

bool is_zero(std::byte byte) { return byte == std::byte{0}; }

// Reads a vector of `size` bytes from `bytes` on, and moves `used` past what it read. The bitmap of
// a bitmap is an eighth as long: the depth is the number of octal digits of the size.
Result<Bytes> decode_part(ByteView bytes, std::size_t size, std::size_t& used) {
  Bytes out(size);
  if (size == 0 || bytes.empty()) return out;
  if (size == 1) {
    out[0] = bytes[0];
    used += is_zero(bytes[0]) ? 0 : 1;  // a zero is not referenced: the check of the end finds it
    return out;
  }
  const auto bitmap = decode_part(bytes, (size + 7) / 8, used);
  if (!bitmap) return bitmap.error();
  for (std::size_t at = 0; at < bitmap->size(); ++at)
    for (auto mask = static_cast<std::uint8_t>((*bitmap)[at]); mask != 0;) {
      const auto place = static_cast<unsigned>(std::countl_zero(mask));
      mask = static_cast<std::uint8_t>(mask & ~(0x80U >> place));
      const std::size_t i = 8 * at + place;
      if (used >= bytes.size()) return Error{ErrorCode::kTruncated, std::string{kMissingData}};
      if (i >= size) return malformed(kExceededTarget);
      if (is_zero(bytes[used])) return malformed(kZeroContent);
      out[i] = bytes[used++];
    }
  return out;
}

}  // namespace

std::vector<std::byte> encode_sparse(ByteView vector) {
  if (std::ranges::all_of(vector, is_zero)) return {};
  if (vector.size() == 1) return {vector[0]};
  Bytes bitmap((vector.size() + 7) / 8);
  Bytes content(vector.size());
  std::byte* end = content.data();
  for (std::size_t at = 0; at < bitmap.size(); ++at) {
    const ByteView eight = vector.subspan(8 * at, std::min<std::size_t>(8, vector.size() - 8 * at));
    unsigned mask = 0;
    for (std::size_t i = 0; i < eight.size(); ++i) {  // no branch: which are zero, none can guess
      const unsigned is_content = is_zero(eight[i]) ? 0 : 1;
      mask |= is_content << (7 - i);
      *end = eight[i];
      end += is_content;
    }
    bitmap[at] = static_cast<std::byte>(mask);
  }
  Bytes encoded = encode_sparse(bitmap);
  encoded.insert(encoded.end(), content.data(), end);
  return encoded;
}

Result<std::vector<std::byte>> decode_sparse(ByteView bytes, std::size_t size) {
  std::size_t used = 0;
  auto out = decode_part(bytes, size, used);
  if (out && used != bytes.size()) return malformed(kUnreferencedData);
  return out;
}

std::vector<std::byte> compress_vector(ByteView vector) {
  Bytes encoded = encode_sparse(vector);
  if (encoded.size() < vector.size()) return encoded;
  return {vector.begin(), vector.end()};
}

Result<std::vector<std::byte>> decompress_vector(ByteView bytes, std::size_t size) {
  if (bytes.size() > size) return malformed(kExceededTarget);
  if (bytes.size() == size) return Bytes{bytes.begin(), bytes.end()};
  return decode_sparse(bytes, size);
}

}  // namespace bloomery::ethlog
