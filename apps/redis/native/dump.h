// A native filter as BF.SCANDUMP returns it and BF.LOADCHUNK takes it. Position 0 is the manifest;
// from position 1 on, the files of all layers lie end to end.
#pragma once
#include "apps/redis/native/manifest.h"

namespace bloomery::redis_module {

struct NativePiece {
  std::int64_t next = 0;                       // as in RedisChunk: 0 at the end
  std::optional<NativeHeaderBytes> made = {};  // where a header is asked for: bytes views it
  std::size_t skipped = 0;                     // of it
  ByteView body = {};

  ByteView bytes() const { return made ? ByteView{*made}.subspan(skipped) : body; }
};

// A piece is a header, or up to 16 MiB of a body. That of a header reads all of its body.
NativePiece piece_at(const LayeredFilter& filter, std::int64_t position);

}  // namespace bloomery::redis_module
