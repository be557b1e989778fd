#include "apps/redis/bloom_commands.h"
#include "apps/redis/bloom_key.h"
#include "apps/redis/config.h"
#include "apps/redis/memory.h"
#include "apps/redis/numbers.h"
#include "apps/redis/replies.h"
#include "apps/redis/statistics.h"
#include "bloomery/formats/redisbloom_dump.h"

namespace bloomery::redis_module {
namespace {

int reply_chunk(const Call& call, std::uint64_t next, ByteView bytes) {
  reply_array(call, 2);
  reply_number(call, next);
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

int load_header(const Call& call, BloomKey& key) {
  auto filter = decode_redisbloom_header(call.bytes(3), limits_in(call.context), server_memory());
  if (!filter) return refuse_load(call, Refusal::kBadData);
  key.set(BloomValue::create(std::move(*filter)));
  return loaded(call);
}

// Where the bytes begin, counted through all layers. A header for a filter that is there already
// lies before the first, and has words of its own in the peer.
std::variant<std::uint64_t, Refusal> offset_of(std::int64_t iterator, std::size_t size) {
  if (iterator <= 0) return Refusal::kBadData;
  const auto behind = static_cast<std::uint64_t>(iterator) - 1;
  if (behind >= size) return behind - size;
  return iterator == 1 || behind + 1 == size ? Refusal::kNoSuchOffset : Refusal::kBadData;
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
  if (*iterator < 0) return reply_chunk(call, 0, {});
  const auto position = static_cast<std::uint64_t>(*iterator);
  const ByteView chunk = chunk_at(filter, position - 1);
  return reply_chunk(call, chunk.empty() ? 0 : position + chunk.size(), chunk);
}

int bf_loadchunk(const Call& call) {
  const auto iterator = parse_integer(call.text(2));
  if (!iterator) return reply_refusal(call, Refusal::kLoadNotNumeric);
  BloomKey key{call, kRead | kWrite};
  if (key.missing() && *iterator == 1) return load_header(call, key);
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const ByteView chunk = call.bytes(3);
  const auto offset = offset_of(*iterator, chunk.size());
  if (const auto* refusal = std::get_if<Refusal>(&offset)) return refuse_load(call, *refusal);
  const auto copied = load_chunk(key.value()->filter(), std::get<std::uint64_t>(offset), chunk);
  if (copied) return loaded(call);
  const bool crosses = copied.error().code == ErrorCode::kTooLarge;
  return refuse_load(call, crosses ? Refusal::kChunkTooLong : Refusal::kNoSuchOffset);
}

}  // namespace bloomery::redis_module
