#include "apps/redis/command/dump_replies.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/cuckoo/key.h"
#include "apps/redis/server/numbers.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kLoaded = "cuckoo.load";

int reply_end(const CommandCall& call) {
  reply_array(call, 2);
  reply_number(call, 0);
  return api.ReplyWithNull(call.context);
}

// Why a first chunk starts no load: the key holds something, or the header has another length.
Refusal refusal_of_header(const CuckooKey& key) {
  if (key.value() != nullptr) return Refusal::kExists;
  return key.missing() ? Refusal::kCuckooBadHeader : Refusal::kWrongType;
}

}  // namespace

int cf_scandump(const CommandCall& call) {
  const auto position = parse_integer(call.text(2));
  if (!position || *position < 0) return reply_refusal(call, Refusal::kCuckooBadPosition);
  const CuckooKey key{call, kRead};
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  const RedisCuckooFilter& filter = key.value()->filter();
  if (filter.keys() == 0) return reply_end(call);
  if (*position == 0) return reply_chunk(call, 1, encode_rediscuckoo_header(filter));
  const RedisChunk chunk = chunk_at(filter, *position);
  return chunk.next == 0 ? reply_end(call) : reply_chunk(call, chunk.next, chunk.bytes);
}

int cf_loadchunk(const CommandCall& call) {
  const auto position = parse_integer(call.text(2));
  if (!position || *position == 0) return reply_refusal(call, Refusal::kCuckooBadPosition);
  const CuckooKey key{call, kRead | kWrite};
  if (*position == 1) {
    const Refusal refusal = refusal_of_header(key);
    return key.missing() ? refuse_load(call, refusal) : reply_refusal(call, refusal);
  }
  if (key.value() == nullptr) return reply_refusal(call, key.refusal());
  if (load_chunk(key.value()->filter(), *position, call.bytes(3)) != ChunkLoad::kLoaded)
    return refuse_load(call, Refusal::kCuckooChunkNotLoaded);
  return accept_load(call, kLoaded);
}

}  // namespace bloomery::redis_module
