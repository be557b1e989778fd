// The BF commands on keys of RedisBloom's type. Each reads from top to bottom: arguments, key,
// change, replication, reply.
#pragma once
#include "apps/redis/command/merge_arguments.h"
#include "apps/redis/server/command_call.h"

namespace bloomery::redis_module {

// insert_commands.cc
int bf_reserve(const CommandCall& call);
int bf_add(const CommandCall& call);
int bf_madd(const CommandCall& call);
int bf_insert(const CommandCall& call);

// commands.cc
int bf_exists(const CommandCall& call);
int bf_mexists(const CommandCall& call);
int bf_info(const CommandCall& call);
int bf_card(const CommandCall& call);
int bf_debug(const CommandCall& call);

// dump_commands.cc
int bf_scandump(const CommandCall& call);
int bf_loadchunk(const CommandCall& call);  // into a filter that exists

// RedisBloom does not have these.
int bf_merge(const CommandCall& call, IsLoadingAt is_loading);  // merge_command.cc
int bf_clear(const CommandCall& call);                          // clear_command.cc
int bf_health(const CommandCall& call);                         // health_command.cc

bool register_bloom_commands(Context* context);  // bf_table.cc; false: a name is taken

}  // namespace bloomery::redis_module
