#include "apps/redis/config.h"

#include "apps/redis/call.h"
#include "apps/redis/numbers.h"
#include "bloomery/formats/rediscuckoo.h"
#include "bloomery/layout/shape.h"

namespace bloomery::redis_module {
namespace {

constexpr int kFirstUnprefixed = 0x00070900;  // 7.9 was the preview of 8

Settings& current() {
  static Settings values;
  return values;
}

// The server copies the text at once, but leaves the string to us.
String* config_get(const char*, void* data) {
  static String* held = nullptr;
  if (held != nullptr) api.FreeString(nullptr, held);
  const std::string text = value_text(*static_cast<const Setting*>(data), current());
  held = api.CreateString(nullptr, text.data(), text.size());
  return held;
}

int config_set(const char*, String* value, void* data, String** error) {
  const Setting& setting = *static_cast<const Setting*>(data);
  const auto refused = assign(setting, text_of(value), current());
  if (!refused) {
    if (setting.number == nullptr && parse_double(text_of(value)) != current().error_rate)
      api.Log(nullptr, "warning", "an error rate above 0.25 is stored as 0.25");
    return kOk;
  }
  *error = api.CreateString(nullptr, refused->data(), refused->size());
  return kError;
}

bool takes_all(Context* context) {
  return (api.GetContextFlags(context) & (kFlagReplica | kFlagLoading)) != 0;
}

}  // namespace

const Settings& settings() { return current(); }

bool register_settings(Context* context, const Settings& loaded) {
  current() = loaded;
  if (api.RegisterStringConfig == nullptr || api.LoadConfigs == nullptr) return true;
  const bool unprefixed = !api.is_valkey && api.GetServerVersion != nullptr &&
                          api.GetServerVersion() >= kFirstUnprefixed;
  const auto add = [&](const Setting& setting, unsigned flags) {
    void* data = const_cast<Setting*>(&setting);
    return api.RegisterStringConfig(context, setting.name, value_text(setting, loaded).c_str(),
                                    flags, config_get, config_set, nullptr, data) == kOk;
  };
  for (const Setting& setting : settings_table())
    if (!(unprefixed && add(setting, kConfigUnprefixed)) && !add(setting, kConfigDefault))
      return false;
  return api.LoadConfigs(context) == kOk;
}

DecodeLimits limits_in(Context* context) {
  if (takes_all(context)) return {kMaxBits / 8};
  return {static_cast<std::uint64_t>(settings().filter_bytes)};
}

std::uint64_t cuckoo_layers_in(Context* context) {
  if (takes_all(context)) return RedisCuckooFilter::kMaxLayers;
  return static_cast<std::uint64_t>(settings().cuckoo_expansions);
}

}  // namespace bloomery::redis_module
