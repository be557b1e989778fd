#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/key.h"
#include "apps/redis/command/dump_replies.h"
#include "apps/redis/server/numbers.h"
#include "bloomery/formats/redis/redisbloom_dump.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kLoaded = "bloom.load";

Refusal refusal_of(ChunkLoad outcome) {
  if (outcome == ChunkLoad::kTooBig) return Refusal::kChunkTooLong;
  return outcome == ChunkLoad::kNoLayer ? Refusal::kNoSuchOffset : Refusal::kBadData;
}

}  // namespace

int bf_scandump(const CommandCall& call) {
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

int bf_loadchunk(const CommandCall& call) {
  const auto iterator = parse_integer(call.text(2));
  if (!iterator) return reply_refusal(call, Refusal::kLoadNotNumeric);
  const BloomKey key{call, kRead | kWrite};
  if (key.missing()) return reply_refusal(call, Refusal::kNotFound);
  if (key.value() == nullptr) return reply_refusal(call, Refusal::kWrongType);
  const ChunkLoad outcome = load_chunk(key.value()->filter(), *iterator, call.bytes(3));
  if (outcome != ChunkLoad::kLoaded) return refuse_load(call, refusal_of(outcome));
  return accept_load(call, kLoaded);
}

}  // namespace bloomery::redis_module
