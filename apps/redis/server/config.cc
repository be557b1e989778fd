#include "apps/redis/server/config.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "apps/redis/server/command_call.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replication_role.h"
#include "bloomery/formats/redis/rediscuckoo.h"
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

// What the machine has, or the control group that the server runs in.
std::uint64_t machine_bytes() {
  static const std::uint64_t bytes = [] {
    auto most = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::uint64_t limit = 0;
    if (std::ifstream{"/sys/fs/cgroup/memory.max"} >> limit) most = std::min(most, limit);
    return most;
  }();
  return bytes;
}

std::uint64_t maxmemory() {
  if (api.GetServerInfo == nullptr || api.ServerInfoGetFieldUnsigned == nullptr) return 0;
  ServerInfo* info = api.GetServerInfo(nullptr, "memory");
  int failed = 0;
  const unsigned long long bytes = api.ServerInfoGetFieldUnsigned(info, "maxmemory", &failed);
  api.FreeServerInfo(nullptr, info);
  return failed != 0 ? 0 : bytes;
}

// Reading maxmemory takes the server some 100 microseconds, so it is read when the configuration
// has changed or, on servers without that event, ten times a second.
bool is_notified_of_config = false;
std::optional<std::uint64_t> known_maxmemory;
std::int64_t known_since = 0;

void forget_maxmemory(Context*, ServerEvent, std::uint64_t, void*) { known_maxmemory.reset(); }

bool is_exempt_from_limits(Context* context) {
  return (api.GetContextFlags(context) & (kFlagReplica | kFlagLoading)) != 0;
}

}  // namespace

const Settings& settings() { return current(); }

bool register_settings(Context* context, const Settings& loaded) {
  current() = loaded;
  constexpr ServerEvent kConfigChanged{16, 1};  // Redis 7.0
  is_notified_of_config =
      api.RegisterStringConfig != nullptr && api.SubscribeToServerEvent != nullptr &&
      api.SubscribeToServerEvent(context, kConfigChanged, forget_maxmemory) == kOk;
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
  if (is_exempt_from_limits(context)) return {kMaxBits / 8};
  return client_limits();
}

DecodeLimits client_limits() {
  if (settings().filter_bytes > 0) return {static_cast<std::uint64_t>(settings().filter_bytes)};
  constexpr std::int64_t kBelieved = 100;
  if (!known_maxmemory ||
      (!is_notified_of_config && steady_milliseconds() - known_since >= kBelieved)) {
    known_maxmemory = maxmemory();
    known_since = steady_milliseconds();
  }
  const std::uint64_t most = *known_maxmemory > 0 ? *known_maxmemory : machine_bytes();
  return {std::min<std::uint64_t>(most, kMaxBits / 8)};
}

bool refuses_extensions(Context* context) {
  return settings().redisbloom_only != 0 && !is_replicated(context);
}

std::uint64_t cuckoo_layers_in(Context* context) {
  if (is_exempt_from_limits(context)) return RedisCuckooFilter::kMaxLayers;
  return static_cast<std::uint64_t>(settings().cuckoo_expansions);
}

}  // namespace bloomery::redis_module
