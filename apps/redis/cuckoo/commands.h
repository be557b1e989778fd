// The CF commands. Each reads from top to bottom: arguments, key, change, replication, reply.
#pragma once
#include "apps/redis/server/command_call.h"

namespace bloomery::redis_module {

// insert_commands.cc
int cf_reserve(const CommandCall& call);
int cf_add(const CommandCall& call);
int cf_addnx(const CommandCall& call);
int cf_insert(const CommandCall& call);
int cf_insertnx(const CommandCall& call);

// commands.cc
int cf_exists(const CommandCall& call);
int cf_mexists(const CommandCall& call);
int cf_count(const CommandCall& call);
int cf_del(const CommandCall& call);
// False on a replica, unless its primary sent the command: CF.COMPACT is marked as a reading
// command, as in RedisBloom, so the server lets clients of a replica call it.
bool may_compact(Context* context);
int cf_compact(const CommandCall& call);
int cf_info(const CommandCall& call);
int cf_debug(const CommandCall& call);

// dump_commands.cc
int cf_scandump(const CommandCall& call);
int cf_loadchunk(const CommandCall& call);  // into a filter that exists

bool register_cuckoo_commands(Context* context);  // cf_table.cc; false: a name is taken

}  // namespace bloomery::redis_module
