// Codecs of whole blocks whose libraries may be absent in a build.
#pragma once
#include "bloomery/base/bytes.h"

namespace bloomery::input {

// True where the block decompresses to exactly `plain`. False where the library is absent
// (Lz4Stream::is_built, brotli_is_built).
bool decompress_lz4_block(ByteView stored, ByteSpan plain);

bool brotli_is_built();
bool decompress_brotli(ByteView stored, ByteSpan plain);

}  // namespace bloomery::input
