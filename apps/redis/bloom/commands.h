// The BF commands. Each reads from top to bottom: key, type, arguments, call, reply.
#pragma once
#include "apps/redis/server/command_call.h"

namespace bloomery::redis_module {

int bf_reserve(const Call& call);  // bloom_insert_commands.cc
int bf_add(const Call& call);
int bf_madd(const Call& call);
int bf_insert(const Call& call);

int bf_exists(const Call& call);  // bloom_commands.cc
int bf_mexists(const Call& call);
int bf_info(const Call& call);
int bf_card(const Call& call);
int bf_debug(const Call& call);

int bf_scandump(const Call& call);  // bloom_dump_commands.cc
int bf_loadchunk(const Call& call);

// What the peer does not have.
int bf_merge(const Call& call);   // bloom_merge_command.cc
int bf_clear(const Call& call);   // bloom_clear_command.cc
int bf_health(const Call& call);  // bloom_health_command.cc

bool register_bloom_commands(Context* context);  // bloom_command_table.cc

}  // namespace bloomery::redis_module
