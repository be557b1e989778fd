// The bytes of a RedisBloom filter: the chunks of BF.SCANDUMP laid end to end, and the payload of
// DUMP.
#pragma once
#include "bloomery/formats/redis/chunks.h"
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery {

// Either of the two; a DUMP payload begins with its type and the module's name, a header with a
// count.
Result<RedisBloomFilter> decode_redisbloom(ByteView bytes, const DecodeOptions& options);
// The header chunk, then every layer's bits, nothing between. kUnsupported for a layer whose bits
// are not whole bytes, which only the oldest files have.
Result<std::vector<std::byte>> encode_redisbloom(const RedisBloomFilter& filter);

// The header chunk alone: what BF.SCANDUMP answers first and BF.LOADCHUNK takes first. Decoding
// gives the filter with no bit set, and demands that nothing follows.
Result<RedisBloomFilter> decode_redisbloom_header(ByteView bytes, const DecodeLimits& limits,
                                                  std::pmr::memory_resource* memory = nullptr);
Result<std::vector<std::byte>> encode_redisbloom_header(const RedisBloomFilter& filter);

// The same header, read and checked, without the memory of the filter that it describes.
Result<RedisBloomHeader> read_redisbloom_header(ByteView bytes);

// The chunks behind the header, by position.
RedisChunk chunk_at(const RedisBloomFilter& filter, std::int64_t position);
ChunkLoad load_chunk(RedisBloomFilter& filter, std::int64_t position, ByteView bytes);

// What DUMP answers and RESTORE takes: encoding versions 0 to 4, checksum verified. Written is
// version 4, which holds a layer of any file.
bool looks_like_redisbloom_payload(ByteView bytes);
Result<RedisBloomFilter> decode_redisbloom_payload(ByteView bytes, const DecodeLimits& limits);
std::vector<std::byte> encode_redisbloom_payload(const RedisBloomFilter& filter);

}  // namespace bloomery
