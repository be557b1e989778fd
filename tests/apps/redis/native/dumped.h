// What tests of dumps share: the bytes behind the manifest.
#pragma once
#include <vector>

#include "apps/redis/native/dump.h"

namespace bloomery::redis_module {

inline constexpr DecodeLimits kRoomy{std::uint64_t{1} << 30};

inline std::vector<std::byte> stream_of(const LayeredFilter& filter) {
  std::vector<std::byte> stream;
  for (NativePiece piece = piece_at(filter, 1); piece.next != 0;
       piece = piece_at(filter, piece.next))
    stream.insert(stream.end(), piece.bytes().begin(), piece.bytes().end());
  return stream;
}

}  // namespace bloomery::redis_module
