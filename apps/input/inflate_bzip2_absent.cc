// Stands in where the library for bzip2 was not there at build time: no input of this kind is
// opened.
#include "apps/input/inflate.h"

namespace bloomery::input {

struct Bzip2Stream::Library {};

bool Bzip2Stream::is_built() { return false; }
Bzip2Stream::Bzip2Stream() = default;
Bzip2Stream::Bzip2Stream(Bzip2Stream&&) noexcept = default;
Bzip2Stream& Bzip2Stream::operator=(Bzip2Stream&&) noexcept = default;
Bzip2Stream::~Bzip2Stream() = default;

bool Bzip2Stream::may_end_here() const { return true; }
Result<Inflated> Bzip2Stream::step(ByteView, ByteSpan) {
  return broken_data("bzip2", "this build cannot decompress them");
}

}  // namespace bloomery::input
