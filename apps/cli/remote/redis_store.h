// Storage of a filter in a Redis server, in pieces but in one step: another client that reads the
// key meanwhile finds the old filter, or the whole new one.
#pragma once
#include "apps/cli/remote/redis_kind.h"

namespace bloomery::cli {

// kUnsupported for a format that no server knows.
Status server_holds(std::string_view format);

// Asked before the work. kInvalidArgument where the key is in the way: a filter, unless `replace`,
// or anything else.
Status may_store(const RedisAddress& address, bool replace);

// Through a temporary key beside the asked one, which is removed again after an error, and by the
// server after an hour when this program is killed. A time to live that the old filter had is kept.
// A key that appeared since may_store is replaced only where `replace` says so.
Status store_filter(const RedisAddress& address, const AnyFilter& filter, bool replace);

}  // namespace bloomery::cli
