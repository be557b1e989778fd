#include "apps/input/inflate.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

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

Error other_bytes(std::string_view kind, bool behind_data) {
  if (behind_data) return broken_data(kind, "other bytes follow them");
  return {ErrorCode::kInvalidArgument, message("it is not ", kind, " data")};
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
    if (in[0] != std::byte{0x1f}) return other_bytes("gzip", seen_member_);
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
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
    const std::string_view why = stream_->msg != nullptr ? stream_->msg : "";
    return broken_data("gzip", code == Z_NEED_DICT ? "they need a dictionary"
                               : why.ends_with(" check") && !why.starts_with("incorrect header")
                                   ? kWrongChecksum
                                   : kCorrupt);
  }
  between_members_ = code == Z_STREAM_END;
  done.consumed += clipped(in.size()) - stream_->avail_in;
  done.produced = clipped(out.size()) - stream_->avail_out;
  return done;
}

void ZstdStream::Free::operator()(ZSTD_DCtx_s* context) const { ::ZSTD_freeDCtx(context); }

ZstdStream::ZstdStream() : context_{::ZSTD_createDCtx()} {
  if (!context_) throw std::bad_alloc{};
}

Error ZstdStream::error_of(std::size_t code) const {
  switch (::ZSTD_getErrorCode(code)) {
    case ZSTD_error_prefix_unknown:
      return other_bytes("zstd", seen_frame_);
    case ZSTD_error_checksum_wrong:
      return broken_data("zstd", kWrongChecksum);
    case ZSTD_error_dictionary_wrong:
    case ZSTD_error_dictionary_corrupted:
      return broken_data("zstd", "they need a dictionary");
    case ZSTD_error_frameParameter_windowTooLarge:
      return broken_data("zstd", "they need more than 128 MiB of memory to decompress");
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc{};
    default:
      return broken_data("zstd", kCorrupt);
  }
}

Result<Inflated> ZstdStream::step(ByteView in, ByteSpan out) {
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  const std::size_t left = ::ZSTD_decompressStream(context_.get(), &to, &from);
  if (::ZSTD_isError(left) != 0) return error_of(left);
  if (from.pos != 0 || to.pos != 0) between_frames_ = left == 0;
  seen_frame_ = seen_frame_ || left == 0;
  return Inflated{from.pos, to.pos};
}

}  // namespace bloomery::input
