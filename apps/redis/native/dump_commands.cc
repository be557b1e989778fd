#include <new>

#include "apps/redis/command/dump_replies.h"
#include "apps/redis/native/commands.h"
#include "apps/redis/native/dump.h"
#include "apps/redis/native/window.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/memory.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replication_role.h"

namespace bloomery::redis_module {
namespace {

constexpr const char* kLoaded = "bloom.load";

// False: what came is no such filter.
bool take(NativeLoader& loader, ByteView bytes, DecodeLimits limits) {
  try {
    return loader.take(bytes, limits).has_value();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Deletes the key: half a filter could never become whole. Replicas, which took its first chunks,
// get a DEL.
int discard_load(const CommandCall& call, NativeKey& key) {
  key.remove();
  api.Replicate(call.context, "DEL", "s", call.key_name());
  api.SignalModifiedKey(call.context, call.key_name());
  api.NotifyKeyspaceEvent(call.context, kNotifyGeneric, "del", call.key_name());
  return refuse_load(call, Refusal::kBadData);
}

}  // namespace

int native_scandump(const CommandCall& call, NativeKey& key) {
  const auto position = parse_integer(call.text(2));
  if (!position) return reply_refusal(call, Refusal::kScanNotNumeric);
  const LayeredFilter& filter = *key.value()->filter().filter();
  if (*position == 0)
    return reply_chunk(call, 1, encode_native_manifest(manifest_for_storage(call.context, filter)));
  const NativePiece piece = piece_at(filter, *position);
  return reply_chunk(call, piece.next, piece.bytes());
}

// Hides the manifest from monitors and the slow log, also of a refused load: it holds the secret.
int start_native_load(const CommandCall& call) {
  constexpr std::size_t kHasSecretAt = 11;
  const ByteView manifest = call.bytes(3);
  if (manifest.size() > kHasSecretAt && manifest[kHasSecretAt] != std::byte{0}) redact(call, 3);
  if (refuses_extensions(call.context)) return refuse_load(call, Refusal::kRedisBloomOnly);
  NativeKey key{call, kRead | kWrite};
  const auto made =
      value_or_refusal<NativeValue>(Refusal::kBadData, [&]() -> Result<NativeContent> {
        auto loader = NativeLoader::start(call.bytes(3), server_memory());
        if (!loader) return loader.error();
        return NativeContent{std::move(*loader)};
      });
  if (const auto* refusal = std::get_if<Refusal>(&made)) return refuse_load(call, *refusal);
  key.set(std::get<NativeValue*>(made));
  return accept_load(call, kLoaded);
}

// Chunks come in their order: each begins where the one before it ended.
int native_loadchunk(const CommandCall& call, NativeKey& key) {
  const auto position = parse_integer(call.text(2));
  if (!position) return reply_refusal(call, Refusal::kLoadNotNumeric);
  const ByteView bytes = call.bytes(3);
  NativeContent& content = key.value()->filter();
  if (content.peer_loader() != nullptr) return continue_peer_load(call, key, PeerKind::kBloom);
  NativeLoader* loader = content.loader();
  if (*position <= 0 || static_cast<std::uint64_t>(*position) <= bytes.size())
    return refuse_load(call, Refusal::kBadData);
  const std::uint64_t offset = static_cast<std::uint64_t>(*position) - bytes.size() - 1;
  if (loader == nullptr || bytes.empty() || offset != loader->taken())
    return refuse_load(call, Refusal::kNoSuchOffset);
  if (!take(*loader, bytes, limits_in(call.context))) return discard_load(call, key);
  if (loader->whole()) {
    content = NativeContent{std::move(*loader).finish()};
    start_clock(call.context, *content.filter());
  }
  key.value()->account(Change::kSome);
  return accept_load(call, kLoaded);
}

}  // namespace bloomery::redis_module
