#include "apps/redis/bloom_type.h"

#include "apps/redis/bloom_value.h"
#include "apps/redis/config.h"
#include "apps/redis/guard.h"
#include "apps/redis/memory.h"
#include "apps/redis/names.h"
#include "apps/redis/server_values.h"
#include "apps/redis/statistics.h"
#include "bloomery/formats/redis_rdb.h"
#include "bloomery/formats/redisbloom_dump.h"
#include "bloomery/formats/redisbloom_rdb.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kPage = 4096;

DataType* registered = nullptr;

const RedisBloomFilter& filter_of(const void* value) {
  return static_cast<const BloomValue*>(value)->filter();
}

void* load(Io* io, int encoding) {
  const auto read = [&]() -> void* {
    ServerReader reader{io};
    auto filter = read_redisbloom_value(reader, static_cast<std::uint32_t>(encoding),
                                        limits_in(api.GetContextFromIO(io)), server_memory());
    if (filter) return BloomValue::create(std::move(*filter));
    api.LogIOError(io, "warning", "A Bloom filter is refused: %s", filter.error().message.c_str());
    return nullptr;
  };
  void* value = guard<void*>(nullptr, read);
  if (value == nullptr) ++statistics.rejected_loads;
  return value;
}

void save(Io* io, void* value) {
  guard(false, [&] {
    ServerWriter writer{io};
    write_redisbloom_value(filter_of(value), writer);
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

void rewrite_in_pieces(Io* io, String* key, const RedisBloomFilter& filter, ByteView header) {
  const std::string name = command_name("BF.LOADCHUNK");
  const auto emit = [&](std::int64_t position, ByteView bytes) {
    api.EmitAOF(io, name.c_str(), "slb", key, static_cast<long long>(position),
                text_of(bytes).data(), bytes.size());
  };
  emit(1, header);
  for (RedisChunk chunk = chunk_at(filter, 1); chunk.next != 0;
       chunk = chunk_at(filter, chunk.next))
    emit(chunk.next, chunk.bytes);
}

void rewrite(Io* io, String* key, void* value) {
  guard(false, [&] {
    const auto header = encode_redisbloom_header(filter_of(value));
    if (header)
      rewrite_in_pieces(io, key, filter_of(value), *header);
    else
      rewrite_whole(io, key, filter_of(value));
    return true;
  });
}

std::size_t memory_usage(const void* value) { return reported_bytes(filter_of(value)); }

// Above 64 the server frees in the background: from a quarter of a megabyte on.
std::size_t free_effort(String*, const void* value) {
  return filter_of(value).layers().size() + filter_of(value).size_bytes() / kPage;
}

void free_value(void* value) { BloomValue::destroy(static_cast<BloomValue*>(value)); }

void* copy(String*, String*, const void* value) {
  return guard<void*>(nullptr, [&] { return BloomValue::create(filter_of(value).clone()); });
}

void digest(Digest* out, void* value) {
  guard(false, [&] {
    const RedisBloomFilter& filter = filter_of(value);
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

int defrag(DefragContext* context, String*, void** value) {
  if (void* moved = api.DefragAlloc(context, *value)) *value = moved;
  return 0;  // done: bit arrays stay where they are
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
  methods.free = free_value;
  methods.free_effort = free_effort;
  methods.copy = copy;
  methods.defrag = defrag;
  registered =
      api.CreateDataType(context, bloom_type_name().c_str(), kRedisBloomEncoding, &methods);
  return registered != nullptr;
}

}  // namespace bloomery::redis_module
