// The entry of bloomery.so: arguments, names, types, commands, settings, in this order.
#include "apps/redis/bloom/commands.h"
#include "apps/redis/bloom/type.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/cuckoo/type.h"
#include "apps/redis/native/type.h"
#include "apps/redis/server/command_call.h"
#include "apps/redis/server/config.h"
#include "apps/redis/server/guard.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/statistics.h"

namespace bloomery::redis_module {
namespace {

constexpr int kVersion = 81000;  // of the RedisBloom release with this behaviour: 8.10.0

int fail(Context* context, const std::string& why) {
  api.Log(context, "warning", "bloomery is not loaded: %s", why.c_str());
  return kError;
}

int fail_taken(Context* context, const std::string& what) {
  return fail(context, what +
                           " exists in this server already; load with the arguments PREFIX name "
                           "to serve name.BF.* and name.CF.* beside it");
}

int load_module(Context* context, std::span<String* const> words) {
  const CommandCall call{context, words};
  auto parsed = parse_load_arguments(call.texts_from(0));
  if (const auto* refused = std::get_if<std::string>(&parsed)) return fail(context, *refused);
  const auto& arguments = std::get<LoadArguments>(parsed);
  set_prefix(arguments.prefix);
  const std::string name = module_name();
  if (api.IsModuleNameBusy(name.c_str()) != 0) return fail_taken(context, "module " + name);
  api.SetModuleAttribs(context, name.c_str(), kVersion, kApiVersion);
  for (const std::string& notice : arguments.notices)
    api.Log(context, "warning", "%s", notice.c_str());
  if (!register_bloom_commands(context)) return fail_taken(context, command_name("BF.*"));
  if (!register_bloom_type(context)) return fail_taken(context, "type " + bloom_type_name());
  if (!register_native_type(context)) return fail_taken(context, "type " + native_type_name());
  if (!register_cuckoo_commands(context)) return fail_taken(context, command_name("CF.*"));
  if (!register_cuckoo_type(context)) return fail_taken(context, "type " + cuckoo_type_name());
  if (!register_settings(context, arguments.settings))
    return fail(context, "a setting was refused");
  api.RegisterInfoFunc(context, add_info);
  // Loaded values are checked in full; clients that watch a key are notified of changes only; old
  // data may stay readable while a replica loads new.
  api.SetModuleOptions(context, kHandlesIoErrors | kSignalsItself | kLoadsBesideOldData);
  return kOk;
}

}  // namespace
}  // namespace bloomery::redis_module

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(
    bloomery::redis_module::Context* context, bloomery::redis_module::String** words, int count) {
  using namespace bloomery::redis_module;
  return guard(kError, [&] {
    if (const char* missing = bind_api(context)) {
      if (api.Log == nullptr) return kError;
      return fail(context, std::string{"the server lacks RedisModule_"} + missing);
    }
    return load_module(context, {words, static_cast<std::size_t>(count)});
  });
}
