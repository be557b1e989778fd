// Names of the Redis client, for use in the command.
#pragma once
#include "apps/redis_client/connection.h"

namespace bloomery::cli {

using namespace redis_client;

}  // namespace bloomery::cli
