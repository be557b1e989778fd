#include "apps/input/block_codecs.h"

namespace bloomery::input {

bool brotli_is_built() { return false; }
bool decompress_brotli(ByteView /*stored*/, ByteSpan /*plain*/) { return false; }

}  // namespace bloomery::input
