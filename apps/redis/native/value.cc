#include "apps/redis/native/value.h"

#include "apps/redis/server/config.h"

namespace bloomery::redis_module {

bool is_full_native(const NativeContent& content) {
  const LayeredFilter* filter = content.filter();
  return filter != nullptr && !filter->has_room() && filter->full(client_limits());
}

std::size_t reported_bytes(const NativeContent& content) {
  std::size_t layers = content.filter() != nullptr ? content.filter()->layers() : 0;
  std::size_t slices = content.filter() != nullptr ? content.filter()->slices().size() : 0;
  if (const NativeLoader* loader = content.loader()) {
    layers = loader->begun();
    slices = loader->manifest().slices.size();
  }
  if (const PeerLoader* loader = content.peer_loader())
    return sizeof(NativeValue) + sizeof(PeerLoader) + loader->header_bytes().size() +
           loader->tables() * sizeof(RedisBloomLayer) +
           static_cast<std::size_t>(loader->size_bytes());
  return sizeof(NativeValue) + slices * sizeof(TimeSlice) + layers * sizeof(FilterLayer) +
         static_cast<std::size_t>(content.size_bytes());
}

}  // namespace bloomery::redis_module
