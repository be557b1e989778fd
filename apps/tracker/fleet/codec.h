// The bytes that the servers of a fleet exchange through Redis, and those they keep. All of them
// are foreign input: every length is checked before anything is allocated.
#pragma once
#include "apps/tracker/fleet/fleet.h"

namespace bloomery::tracker {

std::string encode_share(const Share& share);
Result<Share> decode_share(std::string_view bytes);

// At most kMaxAnswerBytes: an answer that would have more says "everything" instead.
std::vector<std::byte> encode_answer(const NodeAnswer& answer);
Result<NodeAnswer> decode_answer(ByteView bytes, DecodeLimits limits);

std::vector<std::byte> encode_memory(const FleetMemory& memory);
Result<FleetMemory> decode_memory(ByteView bytes);

}  // namespace bloomery::tracker
