#include "apps/redis/bloom_type.h"

#include "apps/redis/bloom_value.h"
#include "apps/redis/config.h"
#include "apps/redis/filter_type.h"
#include "apps/redis/memory.h"
#include "apps/redis/names.h"
#include "apps/redis/server_values.h"
#include "bloomery/formats/redis_rdb.h"
#include "bloomery/formats/redisbloom_dump.h"
#include "bloomery/formats/redisbloom_rdb.h"

namespace bloomery::redis_module {
namespace {

DataType* registered = nullptr;

void* load(Io* io, int encoding) {
  return load_value<BloomValue>(io, "Bloom", [&] {
    ServerReader reader{io};
    return read_redisbloom_value(reader, static_cast<std::uint32_t>(encoding),
                                 limits_in(api.GetContextFromIO(io)), server_memory());
  });
}

void save(Io* io, void* value) {
  guard(false, [&] {
    ServerWriter writer{io};
    write_redisbloom_value(filter_of<BloomValue>(value), writer);
    return true;
  });
}

// A layer of the oldest releases may end within a byte, which no dump in pieces can say.
void rewrite_whole(Io* io, String* key, const RedisBloomFilter& filter) {
  RdbModuleWriter writer{bloom_type_name(), kRedisBloomEncoding};
  write_redisbloom_value(filter, writer);
  const std::vector<std::byte> payload = writer.take();
  api.EmitAOF(io, "RESTORE", "scb", key, "0", text_of(payload).data(), payload.size());
}

void rewrite(Io* io, String* key, void* value) {
  guard(false, [&] {
    const RedisBloomFilter& filter = filter_of<BloomValue>(value);
    if (const auto header = encode_redisbloom_header(filter))
      rewrite_in_pieces(io, command_name("BF.LOADCHUNK"), key, filter, *header);
    else
      rewrite_whole(io, key, filter);
    return true;
  });
}

std::size_t memory_usage(const void* value) { return reported_bytes(filter_of<BloomValue>(value)); }

std::size_t free_effort(String*, const void* value) {
  const RedisBloomFilter& filter = filter_of<BloomValue>(value);
  return effort_to_free(filter.layers().size(), filter.size_bytes());
}

void digest(Digest* out, void* value) {
  guard(false, [&] {
    const RedisBloomFilter& filter = filter_of<BloomValue>(value);
    api.DigestAddLongLong(out, filter.options());
    api.DigestAddLongLong(out, filter.growth());
    for (const RedisBloomLayer& layer : filter.layers()) {
      api.DigestAddLongLong(out, static_cast<long long>(layer.goal_keys));
      api.DigestAddLongLong(out, static_cast<long long>(layer.keys_inserted()));
      api.DigestAddLongLong(out, layer.filter.shape().probes);
      api.DigestAddStringBuffer(out, text_of(layer.bits()).data(), layer.bits().size());
    }
    api.DigestEndSequence(out);
    return true;
  });
}

}  // namespace

DataType* bloom_type() { return registered; }

bool register_bloom_type(Context* context) {
  TypeMethods methods;
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_usage;
  methods.digest = digest;
  methods.free = free_value<BloomValue>;
  methods.free_effort = free_effort;
  methods.copy = copy_value<BloomValue>;
  methods.defrag = defrag_value;
  registered =
      api.CreateDataType(context, bloom_type_name().c_str(), kRedisBloomEncoding, &methods);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
