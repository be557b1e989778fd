#include "bloomery/formats/format.h"

#include <algorithm>

namespace bloomery {
namespace {

// The adapters between one format's own types and AnyFilter.
template <class Filter>
AnyFilter to_any(Filter filter) {
  if constexpr (std::constructible_from<AnyFilter, Filter>) {
    return AnyFilter{std::move(filter)};
  } else {  // a variant of its own: one format whose bytes carry several kinds
    return std::visit([](auto& held) { return AnyFilter{std::move(held)}; }, filter);
  }
}

template <auto kDecode>
Result<AnyFilter> decode_any(ByteView bytes, const DecodeOptions& options) {
  auto filter = kDecode(bytes, options);
  if (!filter) return filter.error();
  return to_any(std::move(*filter));
}

template <auto kCreate>
Result<AnyFilter> create_any(const CreateOptions& options) {
  auto filter = kCreate(options);
  if (!filter) return filter.error();
  return to_any(std::move(*filter));
}

template <class Held, auto kEncode>
Result<std::vector<std::byte>> encode_any(const AnyFilter& filter) {
  if (const auto* held = std::get_if<Held>(&filter)) return kEncode(*held);
  return Error{ErrorCode::kUnsupported,
               "the filter is of another kind: its bits mean nothing in this format"};
}

Result<std::vector<std::byte>> encode_native_any(const AnyFilter& filter) {
  return std::visit(
      [](const auto& held) -> Result<std::vector<std::byte>> {
        if constexpr (requires { encode_native(held); }) return encode_native(held);
        return Error{ErrorCode::kUnsupported,
                     "the filter is of a foreign kind: its keys hash to other bits than ours"};
      },
      filter);
}

// A table is recognised by its footer; anything else is one filter, which has no magic.
Result<AnyFilter> decode_leveldb_any(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_leveldb_table(bytes)) return decode_any<decode_leveldb_table>(bytes, options);
  return decode_any<decode_leveldb>(bytes, options);
}

// Likewise a .parquet file, by the four letters at both of its ends.
Result<AnyFilter> decode_parquet_any(ByteView bytes, const DecodeOptions& options) {
  if (looks_like_parquet_file(bytes)) return decode_any<decode_parquet_file>(bytes, options);
  return decode_any<decode_parquet>(bytes, options);
}
bool looks_like_parquet_any(ByteView bytes) {
  return looks_like_parquet_file(bytes) || looks_like_parquet(bytes);
}

template <Dialect D>
constexpr Format guava_row(std::string_view name, bool (*looks_like)(ByteView)) {
  return {name, looks_like, decode_any<decode_guava>, encode_any<ClassicFilter<D>, encode_guava<D>>,
          create_any<create_guava<D>>};
}

template <Dialect D>
constexpr Format eventhorizon_row(std::string_view name) {
  return {name, nullptr, decode_any<decode_eventhorizon<D>>,
          encode_any<ClassicFilter<D>, encode_eventhorizon<D>>, create_any<create_eventhorizon<D>>};
}

template <Dialect D>
constexpr Format bits_and_blooms_row(std::string_view name, bool (*looks_like)(ByteView)) {
  return {name, looks_like, decode_any<decode_bits_and_blooms<D>>,
          encode_any<BitsAndBloomsFilter<D>, encode_bits_and_blooms<D>>,
          create_any<create_bits_and_blooms<D>>};
}

// In the order in which bytes are guessed: the stronger the magic, the earlier.
constexpr Format kFormats[] = {
    {"bloomery", looks_like_native, decode_any<decode_native>, encode_native_any,
     create_any<create_native>},
    {"leveldb", looks_like_leveldb_table, decode_leveldb_any,
     encode_any<ClassicFilter<LevelDb>, encode_leveldb>, create_any<create_leveldb>},
    {"leveldb:block", nullptr, decode_any<decode_leveldb_block>,
     encode_any<LevelDbFilterBlock, encode_leveldb_block>, create_any<create_leveldb_block>},
    {"parquet", looks_like_parquet_any, decode_parquet_any,
     encode_any<ParquetFilter, encode_parquet>, create_any<create_parquet>},
    {"bits-and-blooms:json", looks_like_bits_and_blooms_json,
     decode_any<decode_bits_and_blooms_json<BitsAndBlooms>>,
     encode_any<BitsAndBloomsFilter<BitsAndBlooms>, encode_bits_and_blooms_json<BitsAndBlooms>>,
     create_any<create_bits_and_blooms<BitsAndBlooms>>},
    {"dcso", looks_like_dcso, decode_any<decode_dcso>, encode_any<DcsoFilter, encode_dcso>,
     create_any<create_dcso>},
    {"minio-tracker", looks_like_minio_tracker, decode_any<decode_minio_tracker>,
     encode_any<MinioTracker, encode_minio_tracker>, nullptr},
    bits_and_blooms_row<BitsAndBlooms>("bits-and-blooms", looks_like_bits_and_blooms),
    bits_and_blooms_row<BitsAndBloomsV2>("bits-and-blooms:v2.0.0", nullptr),
    guava_row<GuavaMitz64>("guava", looks_like_guava),
    guava_row<GuavaMitz32>("guava:mitz32", nullptr),
    {"redisbloom:payload", looks_like_redisbloom_payload, decode_any<decode_redisbloom>,
     encode_any<RedisBloomFilter, encode_redisbloom_payload>, create_any<create_redisbloom>},
    {"redisbloom", nullptr, decode_any<decode_redisbloom>,
     encode_any<RedisBloomFilter, encode_redisbloom>, create_any<create_redisbloom>},
    {"rediscuckoo:payload", looks_like_rediscuckoo_payload, decode_any<decode_rediscuckoo>,
     encode_any<RedisCuckooFilter, encode_rediscuckoo_payload>, create_any<create_rediscuckoo>},
    {"rediscuckoo", nullptr, decode_any<decode_rediscuckoo>,
     encode_any<RedisCuckooFilter, encode_rediscuckoo>, create_any<create_rediscuckoo>},
    {"go-bloom", nullptr, decode_any<decode_go_bloom>,
     encode_any<ClassicFilter<GoBloom>, encode_go_bloom>, create_any<create_go_bloom>},
    eventhorizon_row<EventHorizonX86>("eventhorizon"),
    eventhorizon_row<EventHorizonX64>("eventhorizon:x64"),
    {"ethereum", nullptr, decode_any<decode_ethereum>, encode_any<EthereumFilter, encode_ethereum>,
     create_any<create_ethereum>},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

const Format* guess_format(ByteView first_bytes) {
  const auto* found = std::ranges::find_if(kFormats, [&](const Format& format) {
    return format.looks_like != nullptr && format.looks_like(first_bytes);
  });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace bloomery
