// The options of every command that takes the address of a Redis server.
#pragma once
#include "apps/cli/shell/options.h"

namespace bloomery::cli {

void add_redis_options(CommandLine& app);
// Where a password stands in an argument, `ps` shows it: from now on no more.
void hide_passwords(int argument_count, char** arguments);

}  // namespace bloomery::cli
