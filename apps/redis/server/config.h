// The settings of this server, and their registration with CONFIG.
#pragma once
#include "apps/redis/server/redis_api.h"
#include "apps/redis/server/settings.h"
#include "bloomery/base/limits.h"

namespace bloomery::redis_module {

const Settings& settings();
// Load arguments become the defaults of CONFIG; a configuration file overrides them. Servers before
// 7.0 have load arguments only.
bool register_settings(Context* context, const Settings& loaded);

// How large a filter may become in this context. What a primary or our own files already hold is
// never refused: a replica with a lower limit would differ from then on.
DecodeLimits limits_in(Context* context);
// The limit of this server's own clients: bf-filter-memory-limit, else maxmemory, else what the
// machine has.
DecodeLimits client_limits();
// True: bf-redisbloom-only is set, and what runs was not sent by the primary.
bool refuses_extensions(Context* context);
// With how many layers a cuckoo filter takes no more keys, in this context: likewise.
std::uint64_t cuckoo_layers_in(Context* context);

}  // namespace bloomery::redis_module
