// The options of every command that takes the address of a Redis server.
#pragma once
#include "apps/cli/shell/options.h"

namespace bloomery::cli {

void add_redis_options(CommandLine& app);

}  // namespace bloomery::cli
