#include "apps/redis/bloom_commands.h"
#include "apps/redis/bloom_key.h"
#include "apps/redis/config.h"
#include "apps/redis/guard.h"
#include "apps/redis/memory.h"
#include "apps/redis/numbers.h"
#include "apps/redis/replies.h"
#include "apps/redis/statistics.h"
#include "bloomery/formats/redisbloom_dump.h"

namespace bloomery::redis_module {
namespace {

int reply_chunk(const Call& call, std::int64_t next, ByteView bytes) {
  reply_array(call, 2);
  api.ReplyWithLongLong(call.context, next);
  return reply_text(call, bloomery::text_of(bytes));
}

int refuse_load(const Call& call, Refusal refusal) {
  ++statistics.rejected_loads;
  return reply_refusal(call, refusal);
}

int loaded(const Call& call) {
  api.ReplicateVerbatim(call.context);
  announce(call, "bloom.load");
  return reply_ok(call);
}

// A header that no memory can be had for is as bad as one that contradicts itself.
BloomValue* value_of_header(ByteView header, DecodeLimits limits) {
  return guard<BloomValue*>(nullptr, [&]() -> BloomValue* {
    auto filter = decode_redisbloom_header(header, limits, server_memory());
    return filter ? BloomValue::create(std::move(*filter)) : nullptr;
  });
}

int load_header(const Call& call, BloomKey& key) {
  BloomValue* value = value_of_header(call.bytes(3), limits_in(call.context));
  if (value == nullptr) return refuse_load(call, Refusal::kBadData);
  key.set(value);
  return loaded(call);
}

Refusal refusal_of(ChunkLoad outcome) {
  if (outcome == ChunkLoad::kTooBig) return Refusal::kChunkTooLong;
  return outcome == ChunkLoad::kNoLayer ? Refusal::kNoSuchOffset : Refusal::kBadData;
}

}  // namespace

int bf_scandump(const Call& call) {
  const auto iterator = parse_integer(call.text(2));
  if (!iterator) return reply_refusal(call, Refusal::kScanNotNumeric);
  const BloomKey key{call, kRead};
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const RedisBloomFilter& filter = key.value()->filter();
  if (*iterator == 0) {
    const auto header = encode_redisbloom_header(filter);
    return header ? reply_chunk(call, 1, *header) : reply_refusal(call, Refusal::kNotDumpable);
  }
  const RedisChunk chunk = chunk_at(filter, *iterator);
  return reply_chunk(call, chunk.next, chunk.bytes);
}

int bf_loadchunk(const Call& call) {
  const auto iterator = parse_integer(call.text(2));
  if (!iterator) return reply_refusal(call, Refusal::kLoadNotNumeric);
  BloomKey key{call, kRead | kWrite};
  if (key.missing() && *iterator == 1) return load_header(call, key);
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const ChunkLoad outcome = load_chunk(key.value()->filter(), *iterator, call.bytes(3));
  if (outcome != ChunkLoad::kLoaded) return refuse_load(call, refusal_of(outcome));
  return loaded(call);
}

}  // namespace bloomery::redis_module
