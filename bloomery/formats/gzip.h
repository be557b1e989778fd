// gzip, for files that are compressed as a whole: read piece by piece, so that a small file that
// inflates without end costs no memory; written in one go.
#pragma once
#include <memory>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

struct z_stream_s;

namespace bloomery {

bool looks_like_gzip(ByteView bytes);

// Reads all members of a gzip file as one stream, as gunzip does. Precondition: the bytes outlive
// it.
class GzipReader {
 public:
  explicit GzipReader(ByteView compressed);

  // Fills `to`; fewer bytes than that only at the end of the stream, whose checksum is then
  // verified. kTruncated or kMalformed where the stream breaks off or is none.
  Result<std::size_t> read(ByteSpan to);
  // No more than this can still come, for any compressed bytes.
  std::uint64_t most_remaining() const;

 private:
  struct Closer {
    void operator()(z_stream_s* stream) const;
  };
  Error broken(int status) const;
  void refill();

  ByteView left_;  // not yet handed to the stream
  std::unique_ptr<z_stream_s, Closer> stream_;
  bool finished_ = false;
};

std::vector<std::byte> gzipped(ByteView plain);

}  // namespace bloomery
