// The value of a key of our own type: a filter, or one that is being loaded.
#pragma once
#include "apps/redis/filter_value.h"
#include "apps/redis/own_loader.h"

namespace bloomery::redis_module {

class OwnContent {
 public:
  OwnContent(OwnFilter filter) : held_{std::move(filter)} {}
  OwnContent(OwnLoader loader) : held_{std::move(loader)} {}

  // One of the two is not null.
  OwnFilter* filter() { return std::get_if<OwnFilter>(&held_); }
  const OwnFilter* filter() const { return std::get_if<OwnFilter>(&held_); }
  OwnLoader* loader() { return std::get_if<OwnLoader>(&held_); }
  const OwnLoader* loader() const { return std::get_if<OwnLoader>(&held_); }

  std::uint64_t size_bytes() const {
    return std::visit([](const auto& held) { return held.size_bytes(); }, held_);
  }

 private:
  std::variant<OwnFilter, OwnLoader> held_;
};

bool is_full_own(const OwnContent& content);
using OwnValue = FilterValue<OwnContent, is_full_own>;

// What the value and its layers take, bits included: as BF.INFO and MEMORY USAGE say.
std::size_t reported_bytes(const OwnContent& content);

}  // namespace bloomery::redis_module
