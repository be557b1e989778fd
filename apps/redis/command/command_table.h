// What the server checks and documents of a command, and its registration.
#pragma once
#include "apps/redis/server/redis_api.h"

namespace bloomery::redis_module {

struct CommandSpec {
  const char* name;  // lower case, without prefix
  int min_arity;     // the name counts
  int max_arity;     // 0: no bound
  const char* flags;
  const char* categories;  // of ACL, for servers that let modules set them
  std::uint64_t key_flags;
  const char* summary;
  const char* complexity;
  const char* since;
  Argument* arguments;
  // Of further keys, which begin at argument 3 and whose number is argument 2; 0: there are none.
  // Such a command has the flag getkeys-api, for servers without key specifications.
  std::uint64_t counted_key_flags = 0;
  bool is_extension = false;  // RedisBloom does not have it
};

bool register_command(Context* context, const CommandSpec& spec, CommandFunction function);

}  // namespace bloomery::redis_module
