// How a bit vector is stored (bitutil of go-ethereum v1.15.5): a bitmap of its non-zero bytes,
// itself stored that way, and those bytes; or the vector as it is, where that is not longer. What
// is accepted is unique: compressing what was decompressed gives the same bytes.
#pragma once
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

// The messages of the four errors.
inline constexpr std::string_view kMissingData = "missing bytes on input";
inline constexpr std::string_view kUnreferencedData = "extra bytes on input";
inline constexpr std::string_view kExceededTarget = "target data size exceeded";
inline constexpr std::string_view kZeroContent = "zero byte in input content";

std::vector<std::byte> compress_vector(ByteView vector);
// `size` is the vector's size, which is not stored; nothing larger is allocated.
Result<std::vector<std::byte>> decompress_vector(ByteView bytes, std::size_t size);

// The encoding alone, without the choice to store a vector as it is.
std::vector<std::byte> encode_sparse(ByteView vector);
Result<std::vector<std::byte>> decode_sparse(ByteView bytes, std::size_t size);

}  // namespace bloomery::ethlog
