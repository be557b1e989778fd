#include "bloomery/formats/rediscuckoo_dump.h"

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/redis_rdb.h"

namespace bloomery {
namespace {

constexpr std::string_view kTypeName = "MBbloomCF";
constexpr std::uint32_t kEncoding = 4;

Error malformed(std::string text) { return {ErrorCode::kMalformed, std::move(text)}; }

RedisCuckooHeader read_header(ByteReader& reader) {
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

Result<RedisCuckooFilter> decode_dump(ByteView bytes, const DecodeLimits& limits) {
  ByteReader reader{bytes};
  const RedisCuckooHeader header = read_header(reader);
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

std::uint16_t small_value(RdbModuleReader& reader, std::string_view what) {
  const std::uint64_t value = reader.unsigned_value();
  if (value > UINT16_MAX)
    reader.fail(malformed(message("a rediscuckoo value has ", what, " ", value)));
  return static_cast<std::uint16_t>(reader.failed() ? 0 : value);
}

RedisCuckooHeader read_header(RdbModuleReader& reader) {
  RedisCuckooHeader header;
  header.layers = reader.unsigned_value();
  header.buckets = reader.unsigned_value();
  header.keys = reader.unsigned_value();
  header.removals = reader.unsigned_value();
  header.bucket_size = small_value(reader, "a bucket size of");
  header.max_iterations = small_value(reader, "iterations");
  header.expansion = small_value(reader, "an expansion of");
  return header;
}

// Reads on to the end of the value and keeps nothing: what it finds agrees with the header, or the
// reader has failed. Precondition: the header is valid, so no product below wraps around.
void check_layers(RdbModuleReader& reader, const RedisCuckooHeader& header) {
  std::uint64_t expected = header.buckets;
  for (std::uint64_t i = 0; i < header.layers && !reader.failed(); ++i) {
    const std::uint64_t buckets = reader.unsigned_value();
    const RdbString table = reader.string_value();
    if (buckets != expected || table.size != expected * header.bucket_size)
      reader.fail(
          malformed(message("layer ", i, " has ", buckets, " buckets in ", table.size,
                            " bytes, and should have ", expected, " of ", header.bucket_size)));
    expected *= header.expansion;
  }
  reader.end();
}

Result<RedisCuckooFilter> read_value(RdbModuleReader& reader, const DecodeLimits& limits) {
  const RedisCuckooHeader header = read_header(reader);
  if (reader.failed()) return reader.error();
  if (auto valid = RedisCuckooFilter::checked(header, limits); !valid) return valid.error();
  RdbModuleReader ahead = reader;
  check_layers(ahead, header);
  if (ahead.failed()) return ahead.error();
  auto filter = RedisCuckooFilter::from_header(header, limits);
  for (std::size_t i = 0; filter && i < filter->layers(); ++i) {
    (void)reader.unsigned_value();
    if (auto set = reader.string_value().unpack(filter->table(i)); !set) return set.error();
  }
  return filter;
}

}  // namespace

bool looks_like_rediscuckoo_payload(ByteView bytes) {
  return looks_like_module_payload(bytes, kTypeName);
}

Result<RedisCuckooFilter> decode_rediscuckoo_payload(ByteView bytes, const DecodeLimits& limits) {
  auto payload = open_module_payload(bytes, kTypeName);
  if (!payload) return payload.error();
  if (payload->version != kEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", payload->version,
                         " of a cuckoo filter is not known; ", kEncoding, " is")};
  return read_value(payload->reader, limits);
}

std::vector<std::byte> encode_rediscuckoo_payload(const RedisCuckooFilter& filter) {
  const RedisCuckooHeader header = filter.header();
  RdbModuleWriter writer{kTypeName, kEncoding};
  for (const std::uint64_t value :
       {header.layers, header.buckets, header.keys, header.removals,
        std::uint64_t{header.bucket_size}, std::uint64_t{header.max_iterations},
        std::uint64_t{header.expansion}})
    writer.unsigned_value(value);
  for (std::size_t i = 0; i < filter.layers(); ++i) {
    writer.unsigned_value(filter.buckets(i));
    writer.string_value(filter.table(i));
  }
  return writer.take();
}

Result<RedisCuckooFilter> decode_rediscuckoo(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_rediscuckoo_payload(bytes))
    return decode_rediscuckoo_payload(bytes, options.limits);
  return decode_dump(bytes, options.limits);
}

Result<RedisCuckooFilter> decode_rediscuckoo_header(ByteView bytes, const DecodeLimits& limits,
                                                    std::pmr::memory_resource* memory) {
  ByteReader reader{bytes};
  const RedisCuckooHeader header = read_header(reader);
  if (reader.failed()) return reader.truncated("a rediscuckoo header");
  if (reader.remaining() > 0)
    return malformed(message("a rediscuckoo header has ", kRedisCuckooHeaderBytes,
                             " bytes, and there are ", bytes.size()));
  return RedisCuckooFilter::from_header(header, limits, memory);
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
