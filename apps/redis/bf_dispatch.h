// A command's way from the server to the function that answers it. A row names one function for
// keys of RedisBloom's types and one for keys of the native type; dispatch opens the key once and
// calls the one that fits. Filters that are being loaded, and values that could not be read from a
// file, are refused here and nowhere else.
#pragma once
#include <iterator>
#include <utility>

#include "apps/redis/command/command_table.h"
#include "apps/redis/native/key.h"

namespace bloomery::redis_module {

using PeerFunction = int (*)(const CommandCall&);
using NativeFunction = int (*)(const CommandCall&, NativeKey&);

// For CF commands, `native` takes filters that are being loaded only; there are no other native
// cuckoo filters.
struct Route {
  PeerFunction peer;      // also for a key that is missing or of any other type
  NativeFunction native;  // null: none
  int mode;               // of OpenKey
  bool takes_loading = false;
  bool follows_source = false;  // a missing key gets the type of the first source
  bool is_cuckoo = false;
  bool may_only_read = false;  // CF.COMPACT where may_compact() says no
};

constexpr Route reads(PeerFunction peer, NativeFunction native) { return {peer, native, kRead}; }
constexpr Route writes(PeerFunction peer, NativeFunction native) {
  return {peer, native, kRead | kWrite};
}
constexpr Route loads(PeerFunction peer, NativeFunction native) {
  return {.peer = peer, .native = native, .mode = kRead | kWrite, .takes_loading = true};
}
constexpr Route merges(PeerFunction peer, NativeFunction native) {
  return {.peer = peer, .native = native, .mode = kRead | kWrite, .follows_source = true};
}
constexpr Route reads_cuckoo(PeerFunction peer) {
  return {.peer = peer, .native = nullptr, .mode = kRead, .is_cuckoo = true};
}
constexpr Route writes_cuckoo(PeerFunction peer) {
  return {.peer = peer, .native = nullptr, .mode = kRead | kWrite, .is_cuckoo = true};
}
constexpr Route compacts_cuckoo(PeerFunction peer) {
  Route route = writes_cuckoo(peer);
  route.may_only_read = true;
  return route;
}
constexpr Route loads_cuckoo(PeerFunction peer, NativeFunction native) {
  Route route = loads(peer, native);
  route.is_cuckoo = true;
  return route;
}

// Commands whose arguments decide the type of a new key, or whose sources may be of another type.
int reserve_by_options(const CommandCall& call);  // BF.RESERVE
int load_bloom_chunk(const CommandCall& call);    // BF.LOADCHUNK
int load_cuckoo_chunk(const CommandCall& call);   // CF.LOADCHUNK
int merge_bloom(const CommandCall& call);         // BF.MERGE

struct CommandRow {
  Route route;
  CommandSpec spec;
};

// Checks the number of arguments, answers, and lets no exception through to the server.
int run_command(const CommandRow& row, Context* context, String** words, int count);

// The server calls a function without data, so every row has one of its own.
template <const auto& kRows, std::size_t kIndex>
int entry(Context* context, String** words, int count) {
  return run_command(kRows[kIndex], context, words, count);
}

// False: a name is taken.
template <const auto& kRows>
bool register_commands(Context* context) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return (register_command(context, kRows[kIndex].spec, entry<kRows, kIndex>) && ...);
  }
  (std::make_index_sequence<std::size(kRows)>{});
}

}  // namespace bloomery::redis_module
