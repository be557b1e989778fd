// Streaming decompression: bytes in, bytes out, in pieces of any size.
#pragma once
#include <memory>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

struct z_stream_s;
struct ZSTD_DCtx_s;

namespace bloomery::input {

struct Inflated {
  std::size_t consumed = 0;  // of the bytes in
  std::size_t produced = 0;  // of the bytes out
};

// Gzip members one after the other. Zero bytes after a member are padding, as tape blocks leave
// them; anything else there is an error.
class GzipStream {
 public:
  GzipStream();
  Result<Inflated> step(ByteView in, ByteSpan out);
  bool may_end_here() const { return between_members_; }

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
  bool between_members_ = true;
  bool seen_member_ = false;
};

// Zstandard frames one after the other, skippable ones included.
class ZstdStream {
 public:
  ZstdStream();
  Result<Inflated> step(ByteView in, ByteSpan out);
  bool may_end_here() const { return between_frames_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  bool between_frames_ = true;
};

}  // namespace bloomery::input
