#include <lzma.h>

#include <algorithm>
#include <new>

#include "apps/input/inflate.h"
#include "bloomery/base/message.h"

namespace bloomery::input {

static Error xz_error(lzma_ret code, bool behind_data) {
  if (code == LZMA_MEMLIMIT_ERROR)
    return broken_data("xz", "they need more than 256 MiB of memory to decompress");
  if (code == LZMA_FORMAT_ERROR) return other_bytes("xz", behind_data);
  if (code == LZMA_OPTIONS_ERROR)
    return broken_data("xz", "they use a filter that liblzma does not know");
  return broken_data("xz", kCorrupt);
}

struct XzStream::Library {
  lzma_stream stream = LZMA_STREAM_INIT;
  bool between_streams = true;
  bool seen_stream = false;  // to its end
  std::uint32_t threads;

  explicit Library(std::uint32_t most_threads) : threads{most_threads} {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { lzma_end(&stream); }

  void start() {
    constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
    lzma_ret started = LZMA_OK;
#if LZMA_VERSION >= 50040002  // 5.4.0
    if (threads > 1) {
      lzma_mt several{};
      several.threads = std::min<std::uint32_t>(threads, 256);
      several.memlimit_threading = kMostMemory;
      several.memlimit_stop = kMostMemory;
      started = lzma_stream_decoder_mt(&stream, &several);
    } else
#endif
      started = lzma_stream_decoder(&stream, kMostMemory, 0);
    if (started != LZMA_OK) throw std::bad_alloc{};
    between_streams = false;
  }

  Result<std::size_t> decode(ByteView in, ByteSpan out, lzma_action action) {
    stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream.avail_in = in.size();
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream.avail_out = out.size();
    const lzma_ret code = lzma_code(&stream, action);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc{};
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
      return xz_error(code, seen_stream);
    between_streams = code == LZMA_STREAM_END;
    seen_stream = seen_stream || between_streams;
    return out.size() - stream.avail_out;
  }
};

XzStream::XzStream(std::uint32_t threads) : library_{std::make_unique<Library>(threads)} {}
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
  // liblzma waits for a whole header.
  if (library.between_streams && in[0] != std::byte{0xfd})
    return other_bytes("xz", library.seen_stream);
  if (library.between_streams) library.start();
  const auto produced = library.decode(in, out, LZMA_RUN);
  if (!produced) return produced.error();
  done.consumed += in.size() - library.stream.avail_in;
  done.produced = *produced;
  return done;
}

Result<std::size_t> XzStream::finish(ByteSpan out) {
  if (library_->between_streams) return std::size_t{0};
  return library_->decode({}, out, LZMA_FINISH);
}

}  // namespace bloomery::input
