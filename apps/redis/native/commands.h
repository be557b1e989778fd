// The BF commands on a key of our own type. by_type() finds out whose key it is, once for all of
// them; it is open, and unless a function says so the filter is whole.
#pragma once
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

int native_add(const Call& call, NativeKey& key);  // native_insert_commands.cc
int native_madd(const Call& call, NativeKey& key);
int native_insert(const Call& call, NativeKey& key);
int native_del(const Call& call, NativeKey& key);

int native_exists(const Call& call, NativeKey& key);  // native_commands.cc
int native_mexists(const Call& call, NativeKey& key);
int native_info(const Call& call, NativeKey& key);
int native_card(const Call& call, NativeKey& key);
int native_debug(const Call& call, NativeKey& key);
int native_health(const Call& call, NativeKey& key);

int native_scandump(const Call& call, NativeKey& key);  // native_dump_commands.cc
int native_loadchunk(const Call& call,
                     NativeKey& key);  // the filter may be one that is being loaded

int native_reserve_again(const Call& call, NativeKey& key);  // native_reserve_command.cc
int native_clear(const Call& call, NativeKey& key);          // native_merge_command.cc
int native_merge(const Call& call, NativeKey& key);          // the key may be missing
int native_rotate(const Call& call, NativeKey& key);         // native_window_command.cc

// On a key that is not of our own type.
int reserve_own(const Call& call);  // native_reserve_command.cc; where words ask for our own type
int start_own_load(const Call& call);  // native_dump_commands.cc; where the chunk is a manifest
int bf_del(const Call& call);          // native_insert_commands.cc
int bf_rotate(const Call& call);       // native_window_command.cc

// Filters of RedisBloom's types on their way in: the header, then the tables.
int start_peer_load(const Call& call, PeerKind kind);  // peer_load_commands.cc
int peer_loadchunk(const Call& call, NativeKey& key, PeerKind kind);
int cf_loadchunk_more(const Call& call, NativeKey& key);  // CF.LOADCHUNK after the header

}  // namespace bloomery::redis_module
