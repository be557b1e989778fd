#include <new>

#include "apps/redis/bloom/key.h"
#include "apps/redis/command/dump_replies.h"
#include "apps/redis/cuckoo/key.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/numbers.h"

namespace bloomery::redis_module {
namespace {

const char* loaded_event(PeerKind kind) {
  return kind == PeerKind::kBloom ? "bloom.load" : "cuckoo.load";
}

// In the words of either family.
Refusal refusal_of(PeerKind kind, ChunkLoad outcome) {
  if (kind == PeerKind::kCuckoo) return Refusal::kCuckooChunkNotLoaded;
  if (outcome == ChunkLoad::kTooBig) return Refusal::kChunkTooLong;
  return outcome == ChunkLoad::kNoLayer ? Refusal::kNoSuchOffset : Refusal::kBadData;
}

// The filter takes the place of what was loaded. False: there is no memory for it, the load is as
// it was, and the last chunk can be sent again.
bool finish(const CommandCall& call, NativeKey& key, PeerLoader& loader,
            PeerLoader::LastChunk last) {
  try {
    const DecodeLimits limits = limits_in(call.context);
    if (loader.kind() == PeerKind::kBloom) {
      auto memory = BloomValue::allocate();
      auto* value = BloomValue::create(std::move(memory), std::move(loader).finish_bloom(limits));
      key.replace_with(bloom_type(), value);
    } else {
      auto memory = CuckooValue::allocate();
      auto* value = CuckooValue::create(std::move(memory), std::move(loader).finish_cuckoo(limits));
      key.replace_with(cuckoo_type(), value);
    }
    return true;
  } catch (const std::bad_alloc&) {
    loader.undo_last_chunk(std::move(last));
    return false;
  }
}

// Nothing: there is no memory for the bytes, or for the filter that they complete.
std::optional<ChunkLoad> take(const CommandCall& call, NativeKey& key, std::int64_t position) {
  try {
    PeerLoader& loader = *key.value()->filter().peer_loader();
    PeerLoader::LastChunk last;
    const ChunkLoad outcome = loader.take(position, call.bytes(3), &last);
    if (outcome != ChunkLoad::kLoaded) return outcome;
    key.value()->account(Change::kNothing);
    return !loader.whole() || finish(call, key, loader, std::move(last)) ? std::optional{outcome}
                                                                         : std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace

int start_peer_load(const CommandCall& call, PeerKind kind) {
  const Refusal refusal = kind == PeerKind::kBloom ? Refusal::kBadData : Refusal::kCuckooNotLoaded;
  NativeKey key{call, kRead | kWrite};
  const auto made = value_or_refusal<NativeValue>(refusal, [&]() -> Result<NativeContent> {
    auto loader = PeerLoader::start(kind, call.bytes(3), limits_in(call.context), server_memory());
    if (!loader) return loader.error();
    return NativeContent{std::make_unique<PeerLoader>(std::move(*loader))};
  });
  // A header beyond the limit is as bad as one that contradicts itself.
  if (std::holds_alternative<Refusal>(made)) return refuse_load(call, refusal);
  key.set(std::get<NativeValue*>(made));
  return accept_load(call, loaded_event(kind));
}

int continue_peer_load(const CommandCall& call, NativeKey& key, PeerKind kind) {
  const PeerLoader* loader = key.value()->filter().peer_loader();
  const bool cuckoo = kind == PeerKind::kCuckoo;
  const auto position = parse_integer(call.text(2));
  if (cuckoo && (!position || *position == 0))
    return reply_refusal(call, Refusal::kCuckooBadPosition);
  if (!position) return reply_refusal(call, Refusal::kLoadNotNumeric);
  if (loader == nullptr || loader->kind() != kind) return reply_refusal(call, Refusal::kWrongType);
  if (cuckoo && *position == 1) return reply_refusal(call, Refusal::kExists);
  const auto outcome = take(call, key, *position);
  if (!outcome) return refuse_load(call, Refusal::kNoMemory);
  if (*outcome != ChunkLoad::kLoaded) return refuse_load(call, refusal_of(kind, *outcome));
  return accept_load(call, loaded_event(kind));
}

int continue_cuckoo_load(const CommandCall& call, NativeKey& key) {
  return continue_peer_load(call, key, PeerKind::kCuckoo);
}

}  // namespace bloomery::redis_module
