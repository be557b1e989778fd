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

// How large a filter may become in this context. There is no limit for data of a primary or of this
// server's files: a replica that refused some would differ from then on.
DecodeLimits limits_in(Context* context);
// The limit of this server's own clients: bf-filter-memory-limit, else maxmemory, else what the
// machine has.
DecodeLimits client_limits();
// True: bf-redisbloom-only is set, and the command is not replicated.
bool refuses_extensions(Context* context);
// The number of layers with which a cuckoo filter takes no more keys, in this context: likewise.
std::uint64_t cuckoo_layers_in(Context* context);

}  // namespace bloomery::redis_module
