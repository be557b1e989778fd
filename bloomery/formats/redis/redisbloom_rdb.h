// The value of a RedisBloom filter as Redis saves it (RDB, and DUMP payloads), over any type that
// reads and writes such values: our own reader of a payload, or the server's functions in a module.
#pragma once
#include "bloomery/formats/redis/redisbloom.h"

namespace bloomery {

inline constexpr std::uint32_t kRedisBloomEncoding = 4;  // the newest, and the one we write
inline constexpr std::string_view kRedisBloomTypeName = "MBbloom--";

namespace internal {

inline constexpr std::uint32_t kOptionsSince = 2;
inline constexpr std::uint32_t kGrowthSince = 4;

std::uint64_t legacy_bits(const RedisBloomLayerHeader& layer);
Status checked_bytes(const RedisBloomLayerHeader& layer);
Status checked_tail(const RedisBloomLayer& layer);  // no bit is set behind the last one

// Version 0 has neither bits nor n2. A number too large for its field stays too large, and is
// refused with the rest of the header.
template <class Reader, class Text>
RedisBloomLayerHeader read_layer(Reader& reader, std::uint32_t version, Text& bits) {
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
  if (reader.failed()) return layer;
  if (auto valid = checked_bytes(layer); !valid) reader.fail(valid.error());
  return layer;
}

}  // namespace internal

// A Reader has unsigned_value, double_value, string_value (a size, and unpack into as many bytes),
// end, and a failure that sticks (failed, error, fail), as RdbModuleReader.
template <class Reader>
Result<RedisBloomFilter> read_redisbloom_value(Reader& reader, std::uint32_t version,
                                               const DecodeLimits& limits,
                                               std::pmr::memory_resource* memory = nullptr) {
  if (version > kRedisBloomEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", version, " of a Bloom filter is not known; 0 to ",
                         kRedisBloomEncoding, " are")};
  RedisBloomHeader header;
  header.keys_inserted = reader.unsigned_value();
  const std::uint64_t layers = reader.unsigned_value();
  const std::uint64_t options = version >= internal::kOptionsSince ? reader.unsigned_value() : 0;
  const std::uint64_t growth = version >= internal::kGrowthSince ? reader.unsigned_value() : 2;
  if (options > UINT32_MAX || growth > UINT32_MAX)
    return Error{ErrorCode::kMalformed, message("a redisbloom value with options ", options,
                                                " and growth ", growth, " is out of range")};
  header.options = static_cast<std::uint32_t>(options);
  header.growth = static_cast<std::uint32_t>(growth);
  std::vector<decltype(reader.string_value())> bits;
  while (bits.size() < layers && !reader.failed())
    header.layers.push_back(internal::read_layer(reader, version, bits.emplace_back()));
  reader.end();
  if (reader.failed()) return reader.error();
  auto filter = RedisBloomFilter::from_header(header, limits, memory);
  for (std::size_t i = 0; filter && i < bits.size(); ++i) {
    RedisBloomLayer& layer = filter->layers()[i];
    if (auto unpacked = bits[i].unpack(layer.bits()); !unpacked) return unpacked.error();
    if (auto valid = internal::checked_tail(layer); !valid) return valid.error();
    bits[i] = {};  // a reader may own what it read: two copies of one layer at a time are enough
  }
  return filter;
}

// Encoding 4. A Writer has unsigned_value, double_value and string_value.
template <class Writer>
void write_redisbloom_value(const RedisBloomFilter& filter, Writer& writer) {
  const RedisBloomHeader header = filter.header();
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
}

}  // namespace bloomery
