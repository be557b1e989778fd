// The value of a key of our own type: a filter, or one that is being loaded. Filters of
// RedisBloom's types lie here too while they are loaded: their own files have no word for half a
// filter.
#pragma once
#include "apps/redis/server/filter_value.h"
#include "apps/redis/native/loader.h"
#include "apps/redis/bloom/peer_loader.h"

namespace bloomery::redis_module {

class OwnContent {
 public:
  OwnContent(OwnFilter filter) : held_{std::move(filter)} {}
  OwnContent(OwnLoader loader) : held_{std::move(loader)} {}
  OwnContent(std::unique_ptr<PeerLoader> loader) : held_{std::move(loader)} {}

  // One of the three is not null.
  OwnFilter* filter() { return std::get_if<OwnFilter>(&held_); }
  const OwnFilter* filter() const { return std::get_if<OwnFilter>(&held_); }
  OwnLoader* loader() { return std::get_if<OwnLoader>(&held_); }
  const OwnLoader* loader() const { return std::get_if<OwnLoader>(&held_); }

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
  std::variant<OwnFilter, OwnLoader, std::unique_ptr<PeerLoader>> held_;
};

bool is_full_own(const OwnContent& content);
inline bool is_loading(const OwnContent& content) { return content.loading(); }
using OwnValue = FilterValue<OwnContent, is_full_own, is_loading>;

// What the value and its layers take, bits included: as BF.INFO and MEMORY USAGE say.
std::size_t reported_bytes(const OwnContent& content);

}  // namespace bloomery::redis_module
