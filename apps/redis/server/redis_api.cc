#include "apps/redis/server/redis_api.h"

#include <string>

namespace bloomery::redis_module {
namespace {

using GetFunction = int (*)(const char* name, void* out);

// The first word of a context is the function that finds the others.
GetFunction finder_of(Context* context) { return *reinterpret_cast<GetFunction*>(context); }

bool find(GetFunction finder, const char* name, void* out) {
  return finder((std::string{"RedisModule_"} + name).c_str(), out) == kOk;
}

}  // namespace

Api api;

const char* bind_api(Context* context) {
  const GetFunction finder = finder_of(context);
#define BLOOMERY_REDIS_BIND(result, name, parameters) \
  if (!find(finder, #name, static_cast<void*>(&api.name))) return #name;
  BLOOMERY_REDIS_NEEDED(BLOOMERY_REDIS_BIND)
#undef BLOOMERY_REDIS_BIND
#define BLOOMERY_REDIS_PROBE(result, name, parameters) \
  if (!find(finder, #name, static_cast<void*>(&api.name))) api.name = nullptr;
  BLOOMERY_REDIS_PROBED(BLOOMERY_REDIS_PROBE)
#undef BLOOMERY_REDIS_PROBE
  void* ignored = nullptr;  // Valkey answers to both names, and only it to this one
  api.is_valkey = finder("ValkeyModule_Alloc", static_cast<void*>(&ignored)) == kOk;
  return nullptr;
}

}  // namespace bloomery::redis_module
