// Snappy as Ethereum's archives hold it: single blocks (freezer) and framed streams with checksums
// (era1). Lengths are believed only as far as the input could fill them.
#pragma once
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery::ethlog {

Result<std::vector<std::byte>> decode_snappy_block(ByteView compressed, DecodeLimits limits);
// The whole stream: identifier, then chunks of at most 64 KiB each with a masked CRC-32C.
Result<std::vector<std::byte>> decode_snappy_frames(ByteView stream, DecodeLimits limits);

}  // namespace bloomery::ethlog
