// The CF commands. Each reads from top to bottom: key, type, arguments, call, reply.
#pragma once
#include "apps/redis/server/command_call.h"

namespace bloomery::redis_module {

int cf_reserve(const Call& call);  // cuckoo_insert_commands.cc
int cf_add(const Call& call);
int cf_addnx(const Call& call);
int cf_insert(const Call& call);
int cf_insertnx(const Call& call);

int cf_exists(const Call& call);  // cuckoo_commands.cc
int cf_mexists(const Call& call);
int cf_count(const Call& call);
int cf_del(const Call& call);
// The server lets readers call CF.COMPACT, which is marked as it is in the peer. A replica may hold
// only what its primary does.
bool may_compact(Context* context);
int cf_compact(const Call& call);
int cf_info(const Call& call);
int cf_debug(const Call& call);

int cf_scandump(const Call& call);  // cuckoo_dump_commands.cc
int cf_loadchunk(const Call& call);

bool register_cuckoo_commands(Context* context);  // cuckoo_command_table.cc

}  // namespace bloomery::redis_module
