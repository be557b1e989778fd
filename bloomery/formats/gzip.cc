#include "bloomery/formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

constexpr int kGzipWindow = 15 + 16;                           // largest window, gzip wrapper
constexpr std::size_t kMostPerCall = std::size_t{1} << 30;     // zlib counts in 32 bits
constexpr std::uint64_t kMostPerByte = 1032;                   // deflate: 258 bytes of two bits
constexpr std::uint64_t kMostInside = std::uint64_t{1} << 16;  // the window, and a match under way

Bytef* input(ByteView bytes) {  // zlib reads only, but says so only when built with ZLIB_CONST
  return reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
}
Bytef* output(std::byte* bytes) { return reinterpret_cast<Bytef*>(bytes); }

}  // namespace

bool looks_like_gzip(ByteView bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b} &&
         bytes[2] == std::byte{8};
}

void GzipReader::Closer::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

GzipReader::GzipReader(ByteView compressed) : left_{compressed}, stream_{new z_stream_s{}} {
  if (inflateInit2(stream_.get(), kGzipWindow) != Z_OK) throw std::bad_alloc{};
}

std::uint64_t GzipReader::most_remaining() const {
  return (left_.size() + std::uint64_t{stream_->avail_in}) * kMostPerByte + kMostInside;
}

Error GzipReader::broken(int status) const {
  if (status == Z_BUF_ERROR || status == Z_OK)
    return {ErrorCode::kTruncated, "the gzip stream breaks off before its end"};
  return {ErrorCode::kMalformed,
          message("the gzip stream is damaged: ",
                  stream_->msg != nullptr ? stream_->msg : "zlib cannot read on")};
}

void GzipReader::refill() {
  if (stream_->avail_in > 0) return;
  const ByteView piece = left_.first(std::min(left_.size(), kMostPerCall));
  left_ = left_.subspan(piece.size());
  stream_->next_in = input(piece);
  stream_->avail_in = static_cast<uInt>(piece.size());
}

Result<std::size_t> GzipReader::read(ByteSpan to) {
  std::size_t done = 0;
  while (done < to.size() && !finished_) {
    refill();
    const std::size_t room = std::min(to.size() - done, kMostPerCall);
    stream_->next_out = output(to.data() + done);
    stream_->avail_out = static_cast<uInt>(room);
    const bool starved = stream_->avail_in == 0;
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    const std::size_t got = room - stream_->avail_out;
    done += got;
    if (status == Z_STREAM_END) {
      finished_ = stream_->avail_in == 0 && left_.empty();
      if (!finished_) inflateReset(stream_.get());
    } else if (status != Z_OK || (starved && got == 0)) {
      return broken(status);
    }
  }
  return done;
}

std::vector<std::byte> gzipped(ByteView plain) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc{};
  const std::unique_ptr<z_stream, int (*)(z_streamp)> closer{&stream, deflateEnd};
  std::vector<std::byte> out;
  std::byte piece[16384];
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const ByteView next = plain.first(std::min(plain.size(), kMostPerCall));
      plain = plain.subspan(next.size());
      stream.next_in = input(next);
      stream.avail_in = static_cast<uInt>(next.size());
    }
    stream.next_out = output(piece);
    stream.avail_out = sizeof piece;
    status = deflate(&stream, plain.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.insert(out.end(), piece, piece + (sizeof piece - stream.avail_out));
  }
  return out;
}

}  // namespace bloomery
