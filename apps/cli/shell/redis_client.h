// The client's names are the command line's own.
#pragma once
#include "apps/redis_client/connection.h"

namespace bloomery::cli {

using namespace redis_client;

}  // namespace bloomery::cli
