// The BF commands on keys of the native type. bf_dispatch has opened the key; the filter is
// complete unless a function says otherwise.
#pragma once
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

// insert_commands.cc
int native_add(const CommandCall& call, NativeKey& key);
int native_madd(const CommandCall& call, NativeKey& key);
int native_insert(const CommandCall& call, NativeKey& key);
int native_del(const CommandCall& call, NativeKey& key);

// commands.cc
int native_exists(const CommandCall& call, NativeKey& key);
int native_mexists(const CommandCall& call, NativeKey& key);
int native_info(const CommandCall& call, NativeKey& key);
int native_card(const CommandCall& call, NativeKey& key);
int native_debug(const CommandCall& call, NativeKey& key);
int native_health(const CommandCall& call, NativeKey& key);

// dump_commands.cc
int native_scandump(const CommandCall& call, NativeKey& key);
int native_loadchunk(const CommandCall& call, NativeKey& key);  // the filter may be incomplete

int native_reserve_again(const CommandCall& call, NativeKey& key);  // reserve_command.cc
int native_clear(const CommandCall& call, NativeKey& key);          // merge_command.cc
int native_merge(const CommandCall& call, NativeKey& key);          // the key may be missing
int native_rotate(const CommandCall& call, NativeKey& key);         // window_command.cc

// On a key that is not of the native type.
int reserve_native(const CommandCall& call);     // reserve_command.cc; asks_for_native_type()
int start_native_load(const CommandCall& call);  // dump_commands.cc; the chunk is a manifest
int bf_del(const CommandCall& call);             // insert_commands.cc
int bf_rotate(const CommandCall& call);          // window_command.cc

// Filters of RedisBloom's types while they are loaded: the header, then the tables.
// peer_load_commands.cc
int start_peer_load(const CommandCall& call, PeerKind kind);
int continue_peer_load(const CommandCall& call, NativeKey& key, PeerKind kind);
int continue_cuckoo_load(const CommandCall& call, NativeKey& key);  // CF.LOADCHUNK

}  // namespace bloomery::redis_module
