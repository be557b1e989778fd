// Stands in where the library for lz4 was not there at build time: no input of this kind is opened.
#include "apps/input/block_codecs.h"
#include "apps/input/inflate.h"

namespace bloomery::input {

struct Lz4Stream::Library {};

bool Lz4Stream::is_built() { return false; }
Lz4Stream::Lz4Stream() = default;
Lz4Stream::Lz4Stream(Lz4Stream&&) noexcept = default;
Lz4Stream& Lz4Stream::operator=(Lz4Stream&&) noexcept = default;
Lz4Stream::~Lz4Stream() = default;

bool Lz4Stream::may_end_here() const { return true; }
Result<Inflated> Lz4Stream::step(ByteView, ByteSpan) {
  return broken_data("lz4", "this build cannot decompress them");
}

bool decompress_lz4_block(ByteView /*stored*/, ByteSpan /*plain*/) { return false; }

}  // namespace bloomery::input
