#include "apps/redis/bloom/type.h"

#include "apps/redis/bloom/value.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/filter_type.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/rdb_io.h"
#include "bloomery/formats/redis/rdb.h"
#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/redisbloom_rdb.h"

namespace bloomery::redis_module {
namespace {

DataType* registered = nullptr;

// The fields of encoding 4, made of those that an older one has.
Result<RawFields> record(ServerReader& reader, std::uint32_t encoding) {
  if (encoding > kRedisBloomEncoding)
    return Error{ErrorCode::kUnsupported,
                 message("encoding version ", encoding, " of a Bloom filter is not known; 0 to ",
                         kRedisBloomEncoding, " are")};
  RawFields fields;
  fields.read_unsigned(reader);  // keys
  const std::uint64_t layers = fields.read_unsigned(reader);
  encoding >= internal::kOptionsSince ? fields.read_unsigned(reader) : fields.add_unsigned(0);
  encoding >= internal::kGrowthSince ? fields.read_unsigned(reader) : fields.add_unsigned(2);
  for (std::uint64_t i = 0; i < layers && !reader.failed(); ++i) {
    RedisBloomLayerHeader layer;
    layer.goal_keys = fields.read_unsigned(reader);
    fields.read_double(reader);    // rate
    fields.read_unsigned(reader);  // probes
    layer.bits_per_key = fields.read_double(reader);
    if (encoding > 0) {
      fields.read_unsigned(reader);  // bits
      fields.read_unsigned(reader);  // n2
    } else {
      fields.add_unsigned(internal::legacy_bits(layer));
      fields.add_unsigned(0);
    }
    fields.read_string(reader);    // the bits themselves
    fields.read_unsigned(reader);  // keys of the layer
  }
  return fields;
}

// A layer of the oldest releases may end within a byte, which no dump in pieces can say.
void rewrite_whole(Io* io, String* key, const RedisBloomFilter& filter) {
  RdbModuleWriter writer{bloom_type_name(), kRedisBloomEncoding};
  write_redisbloom_value(filter, writer);
  const std::vector<std::byte> payload = writer.take();
  api.EmitAOF(io, "RESTORE", "scb", key, "0", bloomery::text_of(payload).data(), payload.size());
}

struct BloomType {
  using Value = BloomValue;
  static constexpr int kEncoding = kRedisBloomEncoding;
  static std::string name() { return bloom_type_name(); }

  static void* load(Io* io, int encoding) {
    return load_value<BloomValue>(
        io, "Bloom",
        [&](ServerReader& reader) { return record(reader, static_cast<std::uint32_t>(encoding)); },
        [&](const RawFields& fields) {
          RawReader reader{fields};
          return read_redisbloom_value(reader, kRedisBloomEncoding,
                                       limits_in(api.GetContextFromIO(io)), server_memory());
        });
  }

  static void save(Io* io, const RedisBloomFilter& filter) {
    ServerWriter writer{io};
    write_redisbloom_value(filter, writer);
  }

  static void rewrite(Io* io, String* key, const RedisBloomFilter& filter) {
    if (const auto header = encode_redisbloom_header(filter))
      rewrite_in_pieces(io, command_name("BF.LOADCHUNK"), key, filter, *header);
    else
      rewrite_whole(io, key, filter);
  }

  static std::size_t layers(const RedisBloomFilter& filter) { return filter.layers().size(); }

  static std::optional<RedisBloomFilter> copy(const RedisBloomFilter& filter) {
    return filter.clone();
  }

  static void digest(Digest* out, const RedisBloomFilter& filter) {
    api.DigestAddLongLong(out, filter.options());
    api.DigestAddLongLong(out, filter.growth());
    for (const RedisBloomLayer& layer : filter.layers()) {
      api.DigestAddLongLong(out, static_cast<long long>(layer.goal_keys));
      api.DigestAddLongLong(out, static_cast<long long>(layer.keys_inserted()));
      api.DigestAddLongLong(out, layer.filter.shape().probes);
      api.DigestAddStringBuffer(out, bloomery::text_of(layer.bits()).data(), layer.bits().size());
    }
  }

  static std::size_t usage(const RedisBloomFilter& filter) { return reported_bytes(filter); }
};

}  // namespace

DataType* bloom_type() { return registered; }

bool register_bloom_type(Context* context) {
  registered = create_filter_type<BloomType>(context);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
