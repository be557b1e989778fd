// The vocabulary of command rows: arguments, flags and how a command uses its key.
#pragma once
#include "apps/redis/command/command_table.h"

namespace bloomery::redis_module {

constexpr Argument make_argument(const char* name, ArgumentType type, int flags = 0,
                                 const char* token = nullptr) {
  Argument argument;
  argument.name = name;
  argument.type = type;
  argument.flags = flags;
  argument.token = token;
  if (type == ArgumentType::kKey) argument.key_spec_index = 0;
  return argument;
}
inline constexpr Argument kKeyName = make_argument("key", ArgumentType::kKey);
inline constexpr Argument kItem = make_argument("item", ArgumentType::kString);
inline constexpr Argument kItems = make_argument("item", ArgumentType::kString, kRepeatedArgument);
inline constexpr Argument kIterator = make_argument("iterator", ArgumentType::kInteger);

inline constexpr const char* kWrites = "write deny-oom";
inline constexpr const char* kReads = "readonly fast";
inline constexpr std::uint64_t kAdds = kKeyReadWrite | kKeyInsert;
inline constexpr std::uint64_t kOverwrites = kKeyReadWrite | kKeyUpdate;
inline constexpr std::uint64_t kLooks = kKeyReadOnly | kKeyAccess;

}  // namespace bloomery::redis_module
