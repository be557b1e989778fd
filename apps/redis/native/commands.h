// The BF commands on a key of our own type. by_type() finds out whose key it is, once for all of
// them; it is open, and unless a function says so the filter is whole.
#pragma once
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

int own_add(const Call& call, OwnKey& key);  // own_insert_commands.cc
int own_madd(const Call& call, OwnKey& key);
int own_insert(const Call& call, OwnKey& key);
int own_del(const Call& call, OwnKey& key);

int own_exists(const Call& call, OwnKey& key);  // own_commands.cc
int own_mexists(const Call& call, OwnKey& key);
int own_info(const Call& call, OwnKey& key);
int own_card(const Call& call, OwnKey& key);
int own_debug(const Call& call, OwnKey& key);
int own_health(const Call& call, OwnKey& key);

int own_scandump(const Call& call, OwnKey& key);   // own_dump_commands.cc
int own_loadchunk(const Call& call, OwnKey& key);  // the filter may be one that is being loaded

int own_reserve_again(const Call& call, OwnKey& key);  // own_reserve_command.cc
int own_clear(const Call& call, OwnKey& key);          // own_merge_command.cc
int own_merge(const Call& call, OwnKey& key);          // the key may be missing
int own_rotate(const Call& call, OwnKey& key);         // own_window_command.cc

// On a key that is not of our own type.
int reserve_own(const Call& call);     // own_reserve_command.cc; where words ask for our own type
int start_own_load(const Call& call);  // own_dump_commands.cc; where the chunk is a manifest
int bf_del(const Call& call);          // own_insert_commands.cc
int bf_rotate(const Call& call);       // own_window_command.cc

// Filters of RedisBloom's types on their way in: the header, then the tables.
int start_peer_load(const Call& call, PeerKind kind);  // peer_load_commands.cc
int peer_loadchunk(const Call& call, OwnKey& key, PeerKind kind);
int cf_loadchunk_more(const Call& call, OwnKey& key);  // CF.LOADCHUNK after the header

}  // namespace bloomery::redis_module
