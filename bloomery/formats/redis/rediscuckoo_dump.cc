#include "bloomery/formats/redis/rediscuckoo_dump.h"

#include "bloomery/base/byte_writer.h"
#include "bloomery/base/error.h"
#include "bloomery/formats/redis/rdb.h"
#include "bloomery/formats/redis/rediscuckoo_rdb.h"

namespace bloomery {
namespace {

RedisCuckooHeader read_cuckoo_header(ByteReader& reader) {
  RedisCuckooHeader header;
  header.keys = reader.le<std::uint64_t>();
  header.buckets = reader.le<std::uint64_t>();
  header.removals = reader.le<std::uint64_t>();
  header.layers = reader.le<std::uint64_t>();
  header.bucket_size = reader.le<std::uint16_t>();
  header.max_iterations = reader.le<std::uint16_t>();
  header.expansion = reader.le<std::uint16_t>();
  return header;
}

Result<RedisCuckooFilter> decode_cuckoo(ByteView bytes, const DecodeLimits& limits) {
  ByteReader reader{bytes};
  const RedisCuckooHeader header = read_cuckoo_header(reader);
  if (reader.failed()) return reader.truncated("a rediscuckoo header");
  const auto size = RedisCuckooFilter::checked(header, limits);
  if (!size) return size.error();
  if (*size > reader.remaining())
    return Error{ErrorCode::kTruncated, message("the tables have ", *size, " bytes, and ",
                                                reader.remaining(), " are left of ", bytes.size())};
  if (*size < reader.remaining())
    return malformed(message(reader.remaining() - *size, " bytes follow the last layer"));
  auto filter = RedisCuckooFilter::from_header(header, limits);
  for (std::size_t i = 0; filter && i < filter->layers(); ++i)
    std::ranges::copy(reader.take(filter->table(i).size()), filter->table(i).begin());
  return filter;
}

}  // namespace

bool looks_like_rediscuckoo_payload(ByteView bytes) {
  return looks_like_module_payload(bytes, kRedisCuckooTypeName);
}

Result<RedisCuckooFilter> decode_rediscuckoo_payload(ByteView bytes, const DecodeLimits& limits) {
  auto payload = open_module_payload(bytes, kRedisCuckooTypeName);
  if (!payload) return payload.error();
  return read_rediscuckoo_value(payload->reader, payload->version, limits);
}

std::vector<std::byte> encode_rediscuckoo_payload(const RedisCuckooFilter& filter) {
  RdbModuleWriter writer{kRedisCuckooTypeName, kRedisCuckooEncoding};
  write_rediscuckoo_value(filter, writer);
  return writer.take();
}

Result<RedisCuckooFilter> decode_rediscuckoo(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_rediscuckoo_payload(bytes))
    return decode_rediscuckoo_payload(bytes, options.limits);
  return decode_cuckoo(bytes, options.limits);
}

Result<RedisCuckooHeader> read_rediscuckoo_header(ByteView bytes) {
  ByteReader reader{bytes};
  const RedisCuckooHeader header = read_cuckoo_header(reader);
  if (reader.failed()) return reader.truncated("a rediscuckoo header");
  if (reader.remaining() > 0)
    return malformed(message("a rediscuckoo header has ", kRedisCuckooHeaderBytes,
                             " bytes, and there are ", bytes.size()));
  const auto valid = RedisCuckooFilter::checked(header, {.max_bytes = UINT64_MAX});
  if (!valid) return valid.error();
  return header;
}

Result<RedisCuckooFilter> decode_rediscuckoo_header(ByteView bytes, const DecodeLimits& limits,
                                                    std::pmr::memory_resource* memory) {
  const auto header = read_rediscuckoo_header(bytes);
  if (!header) return header.error();
  return RedisCuckooFilter::from_header(*header, limits, memory);
}

std::vector<std::byte> encode_rediscuckoo_header(const RedisCuckooFilter& filter) {
  const RedisCuckooHeader header = filter.header();
  ByteWriter writer;
  writer.reserve(kRedisCuckooHeaderBytes);
  writer.le(header.keys);
  writer.le(header.buckets);
  writer.le(header.removals);
  writer.le(header.layers);
  writer.le(header.bucket_size);
  writer.le(header.max_iterations);
  writer.le(header.expansion);
  return writer.take();
}

std::vector<std::byte> encode_rediscuckoo(const RedisCuckooFilter& filter) {
  std::vector<std::byte> bytes = encode_rediscuckoo_header(filter);
  bytes.reserve(bytes.size() + static_cast<std::size_t>(filter.size_bytes()));
  for (std::size_t i = 0; i < filter.layers(); ++i) {
    const ByteView table = filter.table(i);
    bytes.insert(bytes.end(), table.begin(), table.end());
  }
  return bytes;
}

RedisChunk chunk_at(const RedisCuckooFilter& filter, std::int64_t position) {
  return chunk_of_tables(
      filter.layers(), [&](std::size_t i) { return filter.table(i); }, position);
}

ChunkLoad load_chunk(RedisCuckooFilter& filter, std::int64_t position, ByteView bytes) {
  const ChunkPlace place = place_of_chunk(
      filter.layers(), [&](std::size_t i) { return filter.table(i).size(); }, position,
      bytes.size());
  if (place.outcome == ChunkLoad::kLoaded)
    std::ranges::copy(bytes, filter.table(place.layer).subspan(place.offset).begin());
  return place.outcome;
}

}  // namespace bloomery
