#include <cstdlib>

#include "bindings/c/handle.h"
#include "bloomery/formats/json/description.h"
#include "bloomery/formats/measured_description.h"

namespace bloomery::c {
namespace {

// The parts of a filter's health, of a kind that has one.
struct HealthParts {
  Health health;
  Provenance provenance;
};

Result<HealthParts> health_of(const bloomery_filter& filter) {
  if (const auto* mapped = std::get_if<MappedNative>(&filter.held)) {
    if (auto valid = mapped->check_size(); !valid) return valid.error();
    return HealthParts{mapped->health(), mapped->provenance()};
  }
  if (const auto* set = std::get_if<FilterSet>(&filter.held)) {
    if (auto valid = set->check_size(); !valid) return valid.error();
    const auto health = set->health();
    if (!health) return health.error();
    return HealthParts{*health, set->provenance()};
  }
  if (const auto* concurrent = std::get_if<Concurrent>(&filter.held))
    return HealthParts{concurrent->filter.health(), concurrent->filter.provenance()};
  const Description description = describe(std::get<AnyFilter>(filter.held));
  if (!description.health)
    return unsupported("this file holds many filters, or none whose health can be known");
  return HealthParts{*description.health, {description.goal, description.keys_inserted}};
}

bloomery_health to_c(const HealthParts& parts) {
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  health.fill = parts.health.fill;
  health.estimated_keys = parts.health.estimated_keys;
  health.rate = parts.health.error_rate;
  health.keys_inserted = parts.provenance.keys_inserted.value_or(BLOOMERY_UNKNOWN);
  if (parts.provenance.goal) {
    health.goal_keys = parts.provenance.goal->keys;
    health.goal_rate = parts.provenance.goal->false_positive_rate;
  }
  health.verdict = static_cast<std::uint32_t>(parts.health.verdict);
  health.sampled = parts.health.sampled ? 1 : 0;
  return health;
}

void add_hash(bloomery_info& info, const KeyHash& hash) {
  info.hash = profile_name(hash.hasher.profile()).data();
  info.keyed = hash.hasher.profile() == Profile::kSiphash ? 1 : 0;
  info.seed = info.keyed != 0 ? 0 : hash.hasher.seed();
}

void add_block(bloomery_info& info, const BlockShape& shape, const char* layout) {
  info.layout = layout;
  info.bits = shape.bits();
  info.probes = shape.probes;
  info.bytes = shape.bytes();
}

template <class Kind>
const char* native_layout(const Kind& held) {
  if constexpr (std::same_as<Kind, NativeBlock>)
    return held.filter.block_shape().lines() > 1 ? "lines" : "block";
  else if constexpr (std::same_as<Kind, NativeClassic>)
    return "classic";
  else if constexpr (std::same_as<Kind, NativeScalable>)
    return "scalable";
  else
    return "counting";
}

template <class Kind>
void add_native(bloomery_info& info, const Kind& held) {
  info.layout = native_layout(held);
  info.bytes = held.filter.size_bytes();
  info.is_open = held.was_open ? 1 : 0;
  if constexpr (std::same_as<Kind, NativeBlock>)
    add_hash(info, held.filter.hash());
  else
    add_hash(info, held.filter.dialect());
  if constexpr (std::same_as<Kind, NativeScalable>) {
    info.bits = held.filter.size_bits();
  } else {
    info.bits = held.filter.shape().bits;
    info.probes = held.filter.shape().probes;
  }
}

template <class Kind>
void add_foreign(bloomery_info& info, const AnyFilter& any, const Kind& held) {
  const auto& filter = internal::core(held);
  info.layout = "foreign";
  if constexpr (requires { Shape{filter.shape()}; }) {
    info.bits = filter.shape().bits;
    info.probes = filter.shape().probes;
  }
  if constexpr (requires { filter.size_bytes(); })
    info.bytes = filter.size_bytes();
  else
    info.bytes = describe(any).bytes;  // many filters in one: reads all of them
}

void add_mapped(bloomery_info& info, const MappedNative& mapped) {
  constexpr const char* kNames[] = {"", "classic", "block", "counting", "scalable", "lines"};
  info.layout = kNames[static_cast<std::size_t>(mapped.kind())];
  info.bits = mapped.shape().bits;
  info.probes = mapped.shape().probes;
  info.bytes = mapped.file_bytes().size();
  info.mapped = 1;
  info.is_open = mapped.was_open() ? 1 : 0;
  add_hash(info, mapped.hash());
}

void add_set(bloomery_info& info, const FilterSet& set) {
  add_block(info, set.shape(), set.shape().lines() > 1 ? "lines" : "block");
  info.mapped = 1;
  add_hash(info, set.hash());
}

bloomery_info info_of(const bloomery_filter& filter) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  info.format = filter.format->name.data();
  info.funnel = funnel_name(filter.funnel).data();
  info.hash = "";
  if (const auto* mapped = std::get_if<MappedNative>(&filter.held)) {
    add_mapped(info, *mapped);
  } else if (const auto* set = std::get_if<FilterSet>(&filter.held)) {
    add_set(info, *set);
  } else if (const auto* concurrent = std::get_if<Concurrent>(&filter.held)) {
    add_block(info, concurrent->filter.block_shape(), "concurrent");
    add_hash(info, concurrent->filter.hash());
  } else {
    const auto& any = std::get<AnyFilter>(filter.held);
    std::visit(
        [&]<class Kind>(const Kind& held) {
          if constexpr (AnyNative<Kind>)
            add_native(info, held);
          else
            add_foreign(info, any, held);
        },
        any);
  }
  return info;
}

Result<Description> description_of(const bloomery_filter& filter, std::uint32_t flags) {
  const bool measured = (flags & BLOOMERY_DESCRIBE_MEASURED) != 0;
  if (const auto* mapped = std::get_if<MappedNative>(&filter.held); mapped && !measured) {
    if (auto valid = mapped->check_size(); !valid) return valid.error();
    return describe(*mapped);
  }
  if (const auto* set = std::get_if<FilterSet>(&filter.held); set && !measured) {
    if (auto valid = set->check_size(); !valid) return valid.error();
    return set->describe();
  }
  std::optional<AnyFilter> copy;
  const auto any = in_memory(filter, copy);
  if (!any) return any.error();
  return measured ? describe_measured(**any).description : describe(**any);
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;

int bloomery_get_health(const bloomery_filter* filter, bloomery_health* health) {
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    const auto parts = health_of(*filter);
    if (!parts) return parts.error();
    return write_struct(to_c(*parts), health, "bloomery_health");
  });
}

int bloomery_get_info(const bloomery_filter* filter, bloomery_info* info) {
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    return write_struct(info_of(*filter), info, "bloomery_info");
  });
}

int bloomery_describe(const bloomery_filter* filter, uint32_t flags, char** json) {
  if (json != nullptr) *json = nullptr;
  return guarded([&]() -> bloomery::Status {
    if (auto valid = check_handle(filter); !valid) return valid;
    if (json == nullptr) return refused("the place for the text is NULL");
    if ((flags & ~BLOOMERY_DESCRIBE_MEASURED) != 0)
      return unsupported("a flag of bloomery_describe that this version does not know");
    const auto description = description_of(*filter, flags);
    if (!description) return description.error();
    const std::string text = bloomery::description_json(*description).dump();
    auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc{};
    *json = std::copy(text.begin(), text.end(), copy) - text.size();
    copy[text.size()] = '\0';
    return bloomery::ok();
  });
}
