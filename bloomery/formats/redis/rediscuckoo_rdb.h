// The value of a RedisBloom cuckoo filter as Redis saves it (RDB, and DUMP payloads), over any type
// that reads and writes such values: our own reader of a payload, or the server's functions in a
// module.
#pragma once
#include <vector>

#include "bloomery/base/message.h"
#include "bloomery/formats/redis/rediscuckoo.h"

namespace bloomery {

inline constexpr std::uint32_t kRedisCuckooEncoding = 4;
inline constexpr std::string_view kRedisCuckooTypeName = "MBbloomCF";

namespace internal {

template <class Reader>
std::uint16_t small_value(Reader& reader, std::string_view what) {
  const std::uint64_t value = reader.unsigned_value();
  if (value > UINT16_MAX)
    reader.fail({ErrorCode::kMalformed, message("a rediscuckoo value has ", what, " ", value)});
  return static_cast<std::uint16_t>(reader.failed() ? 0 : value);
}

template <class Reader>
RedisCuckooHeader read_cuckoo_header(Reader& reader) {
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

// Precondition: the header is valid, so that no product below wraps around.
template <class Reader>
auto read_cuckoo_tables(Reader& reader, const RedisCuckooHeader& header) {
  std::vector<decltype(reader.string_value())> tables;
  std::uint64_t expected = header.buckets;
  while (tables.size() < header.layers && !reader.failed()) {
    const std::uint64_t buckets = reader.unsigned_value();
    tables.push_back(reader.string_value());
    const std::uint64_t size = tables.back().size;
    if (buckets != expected || size != expected * header.bucket_size)
      reader.fail({ErrorCode::kMalformed,
                   message("layer ", tables.size(), " has ", buckets, " buckets in ", size,
                           " bytes, and should have ", expected, " of ", header.bucket_size)});
    expected *= header.expansion;
  }
  reader.end();
  return tables;
}

}  // namespace internal

// A Reader as in redisbloom_rdb.h. The filter's memory is taken once every length agrees.
template <class Reader>
Result<RedisCuckooFilter> read_rediscuckoo_value(Reader& reader, std::uint32_t version,
                                                 const DecodeLimits& limits,
                                                 std::pmr::memory_resource* memory = nullptr) {
  if (version != kRedisCuckooEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", version, " of a cuckoo filter is not known; ",
                         kRedisCuckooEncoding, " is")};
  const RedisCuckooHeader header = internal::read_cuckoo_header(reader);
  if (reader.failed()) return reader.error();
  if (auto valid = RedisCuckooFilter::checked(header, limits); !valid) return valid.error();
  auto tables = internal::read_cuckoo_tables(reader, header);
  if (reader.failed()) return reader.error();
  auto filter = RedisCuckooFilter::from_header(header, limits, memory);
  for (std::size_t i = 0; filter && i < tables.size(); ++i) {
    if (auto unpacked = tables[i].unpack(filter->table(i)); !unpacked) return unpacked.error();
    tables[i] = {};  // a reader may own what it read: two copies of one layer at a time are enough
  }
  return filter;
}

template <class Writer>
void write_rediscuckoo_value(const RedisCuckooFilter& filter, Writer& writer) {
  const RedisCuckooHeader header = filter.header();
  for (const std::uint64_t value :
       {header.layers, header.buckets, header.keys, header.removals,
        std::uint64_t{header.bucket_size}, std::uint64_t{header.max_iterations},
        std::uint64_t{header.expansion}})
    writer.unsigned_value(value);
  for (std::size_t i = 0; i < filter.layers(); ++i) {
    writer.unsigned_value(filter.buckets(i));
    writer.string_value(filter.table(i));
  }
}

}  // namespace bloomery
