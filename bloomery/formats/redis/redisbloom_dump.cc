#include "bloomery/formats/redis/redisbloom_dump.h"

#include "bloomery/base/byte_writer.h"
#include "bloomery/base/error.h"
#include "bloomery/formats/redis/rdb.h"
#include "bloomery/formats/redis/redisbloom_rdb.h"

namespace bloomery {
namespace {

constexpr std::size_t kDumpHeaderBytes = 20;
constexpr std::size_t kLayerBytes = 53;

Result<RedisBloomHeader> read_redisbloom_header(ByteReader& reader) {
  RedisBloomHeader header;
  header.keys_inserted = reader.le<std::uint64_t>();
  const auto layers = reader.le<std::uint32_t>();
  header.options = reader.le<std::uint32_t>();
  header.growth = reader.le<std::uint32_t>();
  if (!reader.failed() && layers == 0)
    return malformed("a redisbloom header has at least one layer, and not 0");
  for (std::uint32_t i = 0; i < layers && !reader.failed(); ++i) {
    RedisBloomLayerHeader& layer = header.layers.emplace_back();
    layer.bytes = reader.le<std::uint64_t>();
    layer.bits = reader.le<std::uint64_t>();
    layer.keys_inserted = reader.le<std::uint64_t>();
    layer.rate = reader.le<double>();
    layer.bits_per_key = reader.le<double>();
    layer.probes = reader.le<std::uint32_t>();
    layer.goal_keys = reader.le<std::uint64_t>();
    layer.n2 = reader.le<std::uint8_t>();
    if (!reader.failed() && (layer.bits % 8 != 0 || layer.bits / 8 != layer.bytes))
      return malformed(message("layer ", i + 1, " has ", layer.bits, " bits in ", layer.bytes,
                               " bytes, and a dump has whole bytes"));
  }
  if (reader.failed()) return reader.truncated("a redisbloom header");
  return header;
}

Result<RedisBloomFilter> decode_redisbloom(ByteView bytes, const DecodeLimits& limits) {
  ByteReader reader{bytes};
  const auto header = read_redisbloom_header(reader);
  if (!header) return header.error();
  std::uint64_t left = reader.remaining();
  for (const RedisBloomLayerHeader& layer : header->layers) {
    if (layer.bytes > left)
      return Error{ErrorCode::kTruncated, message("a layer has ", layer.bytes, " bytes, and ", left,
                                                  " are left of ", bytes.size())};
    left -= layer.bytes;
  }
  if (left > 0) return malformed(message(left, " bytes follow the last layer"));
  auto filter = RedisBloomFilter::from_header(*header, limits);
  if (!filter) return filter;
  for (RedisBloomLayer& layer : filter->layers())
    std::ranges::copy(reader.take(layer.bits().size()), layer.bits().begin());
  return filter;
}

}  // namespace

bool looks_like_redisbloom_payload(ByteView bytes) {
  return looks_like_module_payload(bytes, kRedisBloomTypeName);
}

Result<RedisBloomFilter> decode_redisbloom_payload(ByteView bytes, const DecodeLimits& limits) {
  auto payload = open_module_payload(bytes, kRedisBloomTypeName);
  if (!payload) return payload.error();
  return read_redisbloom_value(payload->reader, payload->version, limits);
}

std::vector<std::byte> encode_redisbloom_payload(const RedisBloomFilter& filter) {
  RdbModuleWriter writer{kRedisBloomTypeName, kRedisBloomEncoding};
  write_redisbloom_value(filter, writer);
  return writer.take();
}

Result<RedisBloomFilter> decode_redisbloom(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_redisbloom_payload(bytes)) return decode_redisbloom_payload(bytes, options.limits);
  return decode_redisbloom(bytes, options.limits);
}

Result<RedisBloomHeader> read_redisbloom_header(ByteView bytes) {
  ByteReader reader{bytes};
  auto header = read_redisbloom_header(reader);
  if (!header) return header;
  if (reader.remaining() > 0)
    return malformed(message("a redisbloom header of ", header->layers.size(), " layers has ",
                             kDumpHeaderBytes + kLayerBytes * header->layers.size(),
                             " bytes, and there are ", bytes.size()));
  if (auto valid = checked(*header, {.max_bytes = UINT64_MAX}); !valid) return valid.error();
  return header;
}

Result<RedisBloomFilter> decode_redisbloom_header(ByteView bytes, const DecodeLimits& limits,
                                                  std::pmr::memory_resource* memory) {
  const auto header = read_redisbloom_header(bytes);
  if (!header) return header.error();
  return RedisBloomFilter::from_header(*header, limits, memory);
}

Result<std::vector<std::byte>> encode_redisbloom_header(const RedisBloomFilter& filter) {
  const RedisBloomHeader header = filter.header();
  ByteWriter writer;
  writer.reserve(kDumpHeaderBytes + kLayerBytes * header.layers.size());
  writer.le(header.keys_inserted);
  writer.le(static_cast<std::uint32_t>(header.layers.size()));
  writer.le(header.options);
  writer.le(header.growth);
  for (const RedisBloomLayerHeader& layer : header.layers) {
    if (layer.bits % 8 != 0)
      return Error{ErrorCode::kUnsupported, message("a layer of an old release has ", layer.bits,
                                                    " bits: a dump holds whole bytes only")};
    writer.le(layer.bytes);
    writer.le(layer.bits);
    writer.le(layer.keys_inserted);
    writer.le(layer.rate);
    writer.le(layer.bits_per_key);
    writer.le(layer.probes);
    writer.le(layer.goal_keys);
    writer.le(layer.n2);
  }
  return writer.take();
}

Result<std::vector<std::byte>> encode_redisbloom(const RedisBloomFilter& filter) {
  auto bytes = encode_redisbloom_header(filter);
  if (!bytes) return bytes;
  for (const RedisBloomLayer& layer : filter.layers()) {
    const ByteView bits = layer.bits();
    bytes->insert(bytes->end(), bits.begin(), bits.end());
  }
  return bytes;
}

RedisChunk chunk_at(const RedisBloomFilter& filter, std::int64_t position) {
  const auto layers = filter.layers();
  return chunk_of_tables(
      layers.size(), [&](std::size_t i) { return layers[i].bits(); }, position);
}

ChunkLoad load_chunk(RedisBloomFilter& filter, std::int64_t position, ByteView bytes) {
  const auto layers = filter.layers();
  const ChunkPlace place = place_of_chunk(
      layers.size(), [&](std::size_t i) { return layers[i].bits().size(); }, position,
      bytes.size());
  if (place.outcome != ChunkLoad::kLoaded || bytes.empty()) return place.outcome;
  const ByteSpan bits = layers[place.layer].bits();
  // Only a layer of the oldest files ends within a byte; bits behind its end belong to no key.
  const std::uint64_t used = layers[place.layer].filter.size_bits() % 8;
  const bool reaches_end = place.offset + bytes.size() == bits.size();
  if (reaches_end && used != 0 && static_cast<unsigned>(bytes.back()) >> used != 0)
    return ChunkLoad::kBadData;
  std::ranges::copy(bytes, bits.subspan(place.offset).begin());
  return ChunkLoad::kLoaded;
}

}  // namespace bloomery
