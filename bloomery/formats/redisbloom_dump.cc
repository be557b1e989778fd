#include "bloomery/formats/redisbloom_dump.h"

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/redis_rdb.h"

namespace bloomery {
namespace {

constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kLayerBytes = 53;
constexpr std::string_view kTypeName = "MBbloom--";
constexpr std::uint32_t kNewestEncoding = 4;
constexpr std::uint32_t kOptionsSince = 2;
constexpr std::uint32_t kGrowthSince = 4;

Error malformed(std::string text) { return {ErrorCode::kMalformed, std::move(text)}; }

Result<RedisBloomHeader> read_header(ByteReader& reader) {
  RedisBloomHeader header;
  header.keys_inserted = reader.le<std::uint64_t>();
  const auto layers = reader.le<std::uint32_t>();
  header.options = reader.le<std::uint32_t>();
  header.growth = reader.le<std::uint32_t>();
  if (!reader.failed() && (layers == 0 || layers > kRedisBloomMaxLayers))
    return malformed(message("a redisbloom header has 1 to ", kRedisBloomMaxLayers,
                             " layers, and not ", layers));
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
      return malformed(message("layer ", i, " has ", layer.bits, " bits in ", layer.bytes,
                               " bytes, and a dump has whole bytes"));
  }
  if (reader.failed()) return reader.truncated("a redisbloom header");
  return header;
}

Result<RedisBloomFilter> decode_dump(ByteView bytes, const DecodeLimits& limits) {
  ByteReader reader{bytes};
  const auto header = read_header(reader);
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

std::uint64_t legacy_bits(const RedisBloomLayerHeader& layer) {
  const double bits = static_cast<double>(layer.goal_keys) * layer.bits_per_key;
  return bits >= 1 && bits <= static_cast<double>(kMaxBits) ? static_cast<std::uint64_t>(bits) : 0;
}

// Version 0 has neither bits nor n2. A number too large for its field stays too large, and is
// refused with the rest of the header.
RedisBloomLayerHeader read_layer(RdbModuleReader& reader, std::uint32_t version, RdbString& bits) {
  RedisBloomLayerHeader layer;
  layer.goal_keys = reader.unsigned_value();
  layer.rate = reader.double_value();
  layer.probes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(reader.unsigned_value(), UINT32_MAX));
  layer.bits_per_key = reader.double_value();
  layer.bits = version == 0 ? legacy_bits(layer) : reader.unsigned_value();
  if (version > 0)
    layer.n2 = static_cast<std::uint8_t>(std::min<std::uint64_t>(reader.unsigned_value(), 255));
  bits = reader.string_value();
  layer.bytes = bits.size;
  layer.keys_inserted = reader.unsigned_value();
  if (!reader.failed() && layer.bytes != layer.bits / 8 + (layer.bits % 8 != 0 ? 1 : 0))
    reader.fail(malformed(message("a layer of ", layer.bits, " bits has ", layer.bytes, " bytes")));
  return layer;
}

Status set_bits(RedisBloomLayer& layer, const RdbString& bits) {
  if (auto unpacked = bits.unpack(layer.bits()); !unpacked) return unpacked;
  const std::uint64_t used = layer.filter.size_bits() % 8;
  if (used != 0 && static_cast<unsigned>(layer.bits().back()) >> used != 0)
    return malformed("bits behind the last one of a layer are set");
  return ok();
}

Result<RedisBloomFilter> read_value(RdbModuleReader& reader, std::uint32_t version,
                                    const DecodeLimits& limits) {
  RedisBloomHeader header;
  header.keys_inserted = reader.unsigned_value();
  const std::uint64_t layers = reader.unsigned_value();
  const std::uint64_t options = version >= kOptionsSince ? reader.unsigned_value() : 0;
  const std::uint64_t growth = version >= kGrowthSince ? reader.unsigned_value() : 2;
  if (layers > kRedisBloomMaxLayers || options > UINT32_MAX || growth > UINT32_MAX)
    return malformed(message("a redisbloom value with ", layers, " layers, options ", options,
                             " and growth ", growth, " is out of range"));
  header.options = static_cast<std::uint32_t>(options);
  header.growth = static_cast<std::uint32_t>(growth);
  std::vector<RdbString> bits;
  while (bits.size() < layers && !reader.failed())
    header.layers.push_back(read_layer(reader, version, bits.emplace_back()));
  reader.end();
  if (reader.failed()) return reader.error();
  auto filter = RedisBloomFilter::from_header(header, limits);
  for (std::size_t i = 0; filter && i < bits.size(); ++i)
    if (auto set = set_bits(filter->layers()[i], bits[i]); !set) return set.error();
  return filter;
}

}  // namespace

bool looks_like_redisbloom_payload(ByteView bytes) {
  return looks_like_module_payload(bytes, kTypeName);
}

Result<RedisBloomFilter> decode_redisbloom_payload(ByteView bytes, const DecodeLimits& limits) {
  auto payload = open_module_payload(bytes, kTypeName);
  if (!payload) return payload.error();
  if (payload->version > kNewestEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", payload->version,
                         " of a Bloom filter is not known; 0 to ", kNewestEncoding, " are")};
  return read_value(payload->reader, payload->version, limits);
}

std::vector<std::byte> encode_redisbloom_payload(const RedisBloomFilter& filter) {
  const RedisBloomHeader header = filter.header();
  RdbModuleWriter writer{kTypeName, kNewestEncoding};
  writer.unsigned_value(header.keys_inserted);
  writer.unsigned_value(header.layers.size());
  writer.unsigned_value(header.options);
  writer.unsigned_value(header.growth);
  for (std::size_t i = 0; i < header.layers.size(); ++i) {
    const RedisBloomLayerHeader& layer = header.layers[i];
    writer.unsigned_value(layer.goal_keys);
    writer.double_value(layer.rate);
    writer.unsigned_value(layer.probes);
    writer.double_value(layer.bits_per_key);
    writer.unsigned_value(layer.bits);
    writer.unsigned_value(layer.n2);
    writer.string_value(filter.layers()[i].bits());
    writer.unsigned_value(layer.keys_inserted);
  }
  return writer.take();
}

Result<RedisBloomFilter> decode_redisbloom(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_redisbloom_payload(bytes)) return decode_redisbloom_payload(bytes, options.limits);
  return decode_dump(bytes, options.limits);
}

Result<RedisBloomFilter> decode_redisbloom_header(ByteView bytes, const DecodeLimits& limits,
                                                  std::pmr::memory_resource* memory) {
  ByteReader reader{bytes};
  const auto header = read_header(reader);
  if (!header) return header.error();
  if (reader.remaining() > 0)
    return malformed(message("a redisbloom header of ", header->layers.size(), " layers has ",
                             kHeaderBytes + kLayerBytes * header->layers.size(),
                             " bytes, and there are ", bytes.size()));
  return RedisBloomFilter::from_header(*header, limits, memory);
}

Result<std::vector<std::byte>> encode_redisbloom_header(const RedisBloomFilter& filter) {
  const RedisBloomHeader header = filter.header();
  ByteWriter writer;
  writer.reserve(kHeaderBytes + kLayerBytes * header.layers.size());
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
