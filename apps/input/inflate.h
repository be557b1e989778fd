// Streaming decompression: bytes in, bytes out, in pieces of any size. Every stream has
//   step(in, out)    consumes and produces what it can; errors do not name the file
//   may_end_here()   whether the data are complete where they end now
// Members, frames or streams that follow one another are read as one.
#pragma once
#include <cstdint>
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

// "the gzip data are broken: ...".
Error broken_data(std::string_view kind, std::string_view why);
// Of data that do not begin as such data do: kInvalidArgument, "it is not gzip data". Of bytes
// behind complete data: those data are broken.
Error other_bytes(std::string_view kind, bool behind_data);
inline constexpr std::string_view kWrongChecksum = "their checksum does not match";
inline constexpr std::string_view kCorrupt = "they are corrupt";

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
  Error error_of(std::size_t code) const;

  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  bool between_frames_ = true;
  bool seen_frame_ = false;
};

// The three below keep their library's state to themselves: `Library` is defined where it is used.

// Xz streams one after the other, with their padding. Needs at most 256 MiB (xz -9: 65 MiB); with
// threads as much again for blocks that are decompressed at once, and one thread where they need
// more.
class XzStream {
 public:
  explicit XzStream(std::uint32_t threads = 1);
  XzStream(XzStream&&) noexcept;
  XzStream& operator=(XzStream&&) noexcept;
  ~XzStream();
  Result<Inflated> step(ByteView in, ByteSpan out);
  // What the threads still hold once all bytes are in; 0 at the end.
  Result<std::size_t> finish(ByteSpan out);
  bool may_end_here() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

// Bzip2 streams one after the other.
class Bzip2Stream {
 public:
  static bool is_built();  // false where the library was not there at build time
  Bzip2Stream();
  Bzip2Stream(Bzip2Stream&&) noexcept;
  Bzip2Stream& operator=(Bzip2Stream&&) noexcept;
  ~Bzip2Stream();
  Result<Inflated> step(ByteView in, ByteSpan out);
  bool may_end_here() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

// LZ4 frames one after the other, skippable ones included.
class Lz4Stream {
 public:
  static bool is_built();
  Lz4Stream();
  Lz4Stream(Lz4Stream&&) noexcept;
  Lz4Stream& operator=(Lz4Stream&&) noexcept;
  ~Lz4Stream();
  Result<Inflated> step(ByteView in, ByteSpan out);
  bool may_end_here() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace bloomery::input
