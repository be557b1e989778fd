// The bytes of a RedisBloom cuckoo filter: the chunks of CF.SCANDUMP laid end to end, and the
// payload of DUMP.
#pragma once
#include "bloomery/formats/redis/chunks.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery {

// Either of the two; a DUMP payload begins with its type and the module's name, a header with a
// count. How many slots are occupied need not agree with the count of keys: a filter that was
// loaded in part is a filter, and describe() says so.
Result<RedisCuckooFilter> decode_rediscuckoo(ByteView bytes, const DecodeOptions& options);
// The header chunk, then every layer's table, nothing between.
std::vector<std::byte> encode_rediscuckoo(const RedisCuckooFilter& filter);

// The header chunk alone: what CF.SCANDUMP answers first and CF.LOADCHUNK takes first. Decoding
// gives the filter with empty tables; kTruncated or kMalformed unless there are 38 bytes.
inline constexpr std::size_t kRedisCuckooHeaderBytes = 38;
Result<RedisCuckooFilter> decode_rediscuckoo_header(ByteView bytes, const DecodeLimits& limits,
                                                    std::pmr::memory_resource* memory = nullptr);
std::vector<std::byte> encode_rediscuckoo_header(const RedisCuckooFilter& filter);
// The same header, read and checked, without the memory of the filter that it describes.
Result<RedisCuckooHeader> read_rediscuckoo_header(ByteView bytes);

// The chunks behind the header, by position.
RedisChunk chunk_at(const RedisCuckooFilter& filter, std::int64_t position);
ChunkLoad load_chunk(RedisCuckooFilter& filter, std::int64_t position, ByteView bytes);

// What DUMP answers and RESTORE takes: encoding version 4, checksum verified. No memory is taken
// but the filter's, and that only once every length in the payload agrees.
bool looks_like_rediscuckoo_payload(ByteView bytes);
Result<RedisCuckooFilter> decode_rediscuckoo_payload(ByteView bytes, const DecodeLimits& limits);
std::vector<std::byte> encode_rediscuckoo_payload(const RedisCuckooFilter& filter);

}  // namespace bloomery
