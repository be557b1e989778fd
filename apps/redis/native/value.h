// The value of a key of the native type: a filter, or one that is being loaded. Filters of
// RedisBloom's types are held here too while they are loaded, because their own files cannot hold
// half a filter.
#pragma once
#include "apps/redis/native/loader.h"
#include "apps/redis/native/peer_loader.h"
#include "apps/redis/server/filter_value.h"

namespace bloomery::redis_module {

class NativeContent {
 public:
  NativeContent(LayeredFilter filter) : held_{std::move(filter)} {}
  NativeContent(NativeLoader loader) : held_{std::move(loader)} {}
  NativeContent(std::unique_ptr<PeerLoader> loader) : held_{std::move(loader)} {}

  // One of the three is not null.
  LayeredFilter* filter() { return std::get_if<LayeredFilter>(&held_); }
  const LayeredFilter* filter() const { return std::get_if<LayeredFilter>(&held_); }
  NativeLoader* loader() { return std::get_if<NativeLoader>(&held_); }
  const NativeLoader* loader() const { return std::get_if<NativeLoader>(&held_); }

  PeerLoader* peer_loader() {
    auto* held = std::get_if<std::unique_ptr<PeerLoader>>(&held_);
    return held != nullptr ? held->get() : nullptr;
  }
  const PeerLoader* peer_loader() const {
    const auto* held = std::get_if<std::unique_ptr<PeerLoader>>(&held_);
    return held != nullptr ? held->get() : nullptr;
  }
  bool loading() const { return filter() == nullptr; }

  std::uint64_t size_bytes() const {
    if (peer_loader() != nullptr) return peer_loader()->size_bytes();
    return loader() != nullptr ? loader()->size_bytes() : filter()->size_bytes();
  }

 private:
  // Behind a pointer: a PeerLoader has pointers into itself, and values are moved byte by byte.
  std::variant<LayeredFilter, NativeLoader, std::unique_ptr<PeerLoader>> held_;
};

bool is_full_native(const NativeContent& content);
inline bool is_loading(const NativeContent& content) { return content.loading(); }
using NativeValue = FilterValue<NativeContent, is_full_native, is_loading>;

// What the value and its layers take, bits included: as BF.INFO and MEMORY USAGE say.
std::size_t reported_bytes(const NativeContent& content);

}  // namespace bloomery::redis_module
