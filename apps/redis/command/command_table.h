// Commands as rows: what the server checks and documents, and the function that answers. A family
// of commands is one constexpr array of rows.
#pragma once
#include <iterator>
#include <optional>
#include <utility>

#include "apps/redis/server/command_call.h"

namespace bloomery::redis_module {

struct CommandRow {
  const char* name;  // lower case, without prefix
  int (*answer)(const Call&);
  int least_words;  // counted with the name
  int most_words;   // 0: no bound
  const char* flags;
  const char* categories;  // for servers that let modules say so
  std::uint64_t key_flags;
  const char* summary;
  const char* complexity;
  const char* since;
  Argument* arguments;
  // Of further keys, which begin at word 3 and whose number is word 2; 0: there are none. Such a
  // row has the flag getkeys-api, for servers that know no specifications of keys.
  std::uint64_t counted_key_flags = 0;
  bool is_ours = false;  // RedisBloom does not have it
};

// What word 2 says, where as many words follow it; at least 1.
std::optional<std::size_t> counted_keys(const Call& call);

// Checks the number of words, calls, and lets no exception through.
int run(const CommandRow& row, Context* context, String** words, int count);
bool register_command(Context* context, const CommandRow& row, CommandFunction function);

// The server calls a plain function, with nothing to tell which row is meant: one for each.
template <const auto& kRows, std::size_t kIndex>
int entry(Context* context, String** words, int count) {
  return run(kRows[kIndex], context, words, count);
}

// False: a name is taken.
template <const auto& kRows>
bool register_commands(Context* context) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return (register_command(context, kRows[kIndex], entry<kRows, kIndex>) && ...);
  }
  (std::make_index_sequence<std::size(kRows)>{});
}

}  // namespace bloomery::redis_module
