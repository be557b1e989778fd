#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "apps/input/inflate.h"

namespace bloomery::input {

struct Bzip2Stream::Library {
  bz_stream stream{};
  bool between_streams = true;
  bool seen_stream = false;  // to its end

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { stop(); }

  void start() {
    if (::BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc{};
    between_streams = false;
  }
  void stop() {
    if (!between_streams) ::BZ2_bzDecompressEnd(&stream);
    stream = {};
    between_streams = true;
  }
};

bool Bzip2Stream::is_built() { return true; }
Bzip2Stream::Bzip2Stream() : library_{std::make_unique<Library>()} {}
Bzip2Stream::Bzip2Stream(Bzip2Stream&&) noexcept = default;
Bzip2Stream& Bzip2Stream::operator=(Bzip2Stream&&) noexcept = default;
Bzip2Stream::~Bzip2Stream() = default;

bool Bzip2Stream::may_end_here() const { return library_->between_streams; }

Result<Inflated> Bzip2Stream::step(ByteView in, ByteSpan out) {
  if (in.empty()) return Inflated{};
  Library& library = *library_;
  if (library.between_streams) library.start();
  const auto clipped = [](std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
  };
  // bzip2 promises not to write through next_in, and asks for a pointer that could.
  library.stream.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
  library.stream.avail_in = clipped(in.size());
  library.stream.next_out = reinterpret_cast<char*>(out.data());
  library.stream.avail_out = clipped(out.size());
  const int code = ::BZ2_bzDecompress(&library.stream);
  if (code == BZ_MEM_ERROR) throw std::bad_alloc{};
  if (code == BZ_DATA_ERROR_MAGIC) return other_bytes("bzip2", library.seen_stream);
  if (code != BZ_OK && code != BZ_STREAM_END) return broken_data("bzip2", kCorrupt);
  const Inflated done{clipped(in.size()) - library.stream.avail_in,
                      clipped(out.size()) - library.stream.avail_out};
  if (code == BZ_STREAM_END) {
    library.stop();
    library.seen_stream = true;
  }
  return done;
}

}  // namespace bloomery::input
