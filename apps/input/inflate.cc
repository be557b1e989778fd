#include "apps/input/inflate.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>

#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

uInt clipped(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

Error broken_data(std::string_view kind, std::string_view why) {
  return {ErrorCode::kIo, message("the ", kind, " data are broken: ", why)};
}

void GzipStream::Free::operator()(z_stream_s* stream) const {
  ::inflateEnd(stream);
  delete stream;
}

GzipStream::GzipStream() : stream_{new z_stream_s{}} {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (::inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc{};
}

Result<Inflated> GzipStream::step(ByteView in, ByteSpan out) {
  Inflated done;
  if (between_members_ && seen_member_) {
    while (done.consumed < in.size() && in[done.consumed] == std::byte{0}) ++done.consumed;
    in = in.subspan(done.consumed);
  }
  if (in.empty()) return done;
  if (between_members_) {
    if (in[0] != std::byte{0x1f})
      return broken_data("gzip", seen_member_ ? "other bytes follow them" : "they begin otherwise");
    ::inflateReset(stream_.get());
    between_members_ = false;
    seen_member_ = true;
  }
  // zlib promises not to write through next_in, and asks for a pointer that could.
  stream_->next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
  stream_->avail_in = clipped(in.size());
  stream_->next_out = reinterpret_cast<Bytef*>(out.data());
  stream_->avail_out = clipped(out.size());
  const int code = ::inflate(stream_.get(), Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) throw std::bad_alloc{};
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    return broken_data("gzip", stream_->msg != nullptr ? stream_->msg : "they need a dictionary");
  between_members_ = code == Z_STREAM_END;
  done.consumed += clipped(in.size()) - stream_->avail_in;
  done.produced = clipped(out.size()) - stream_->avail_out;
  return done;
}

void ZstdStream::Free::operator()(ZSTD_DCtx_s* context) const { ::ZSTD_freeDCtx(context); }

ZstdStream::ZstdStream() : context_{::ZSTD_createDCtx()} {
  if (!context_) throw std::bad_alloc{};
}

Result<Inflated> ZstdStream::step(ByteView in, ByteSpan out) {
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  const std::size_t left = ::ZSTD_decompressStream(context_.get(), &to, &from);
  if (::ZSTD_isError(left) != 0) return broken_data("zstd", ::ZSTD_getErrorName(left));
  if (from.pos != 0 || to.pos != 0) between_frames_ = left == 0;
  return Inflated{from.pos, to.pos};
}

}  // namespace bloomery::input
