// Who decides and what time it is. A primary decides; replicas and a server that replays its own
// file do as they are told.
#pragma once
#include "apps/redis/redis_api.h"

namespace bloomery::redis_module {

bool decides(Context* context);
// What runs was sent by the primary, or comes from the server's own file.
bool is_told(Context* context);
std::int64_t now_milliseconds();  // since 1970

}  // namespace bloomery::redis_module
