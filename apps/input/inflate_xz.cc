#include <lzma.h>

#include <new>

#include "apps/input/inflate.h"
#include "bloomery/base/message.h"

namespace bloomery::input {

struct XzStream::Library {
  lzma_stream stream = LZMA_STREAM_INIT;
  bool between_streams = true;
  bool seen_stream = false;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { lzma_end(&stream); }

  void start() {
    constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
    if (lzma_stream_decoder(&stream, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc{};
    between_streams = false;
    seen_stream = true;
  }
};

static Error xz_error(lzma_ret code) {
  if (code == LZMA_MEMLIMIT_ERROR)
    return broken_data("xz", "they need more than 256 MiB of memory to decompress");
  if (code == LZMA_FORMAT_ERROR) return broken_data("xz", "other bytes follow them");
  if (code == LZMA_OPTIONS_ERROR)
    return broken_data("xz", "they use a filter that liblzma does not know");
  return broken_data("xz", "they are corrupt");
}

XzStream::XzStream() : library_{std::make_unique<Library>()} {}
XzStream::XzStream(XzStream&&) noexcept = default;
XzStream& XzStream::operator=(XzStream&&) noexcept = default;
XzStream::~XzStream() = default;

bool XzStream::may_end_here() const { return library_->between_streams; }

Result<Inflated> XzStream::step(ByteView in, ByteSpan out) {
  Library& library = *library_;
  Inflated done;
  if (library.between_streams && library.seen_stream) {
    while (done.consumed < in.size() && in[done.consumed] == std::byte{0}) ++done.consumed;
    in = in.subspan(done.consumed);
  }
  if (in.empty()) return done;
  if (library.between_streams) library.start();
  library.stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
  library.stream.avail_in = in.size();
  library.stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  library.stream.avail_out = out.size();
  const lzma_ret code = lzma_code(&library.stream, LZMA_RUN);
  if (code == LZMA_MEM_ERROR) throw std::bad_alloc{};
  if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) return xz_error(code);
  library.between_streams = code == LZMA_STREAM_END;
  done.consumed += in.size() - library.stream.avail_in;
  done.produced = out.size() - library.stream.avail_out;
  return done;
}

}  // namespace bloomery::input
