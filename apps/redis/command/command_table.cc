#include "apps/redis/command/command_table.h"

#include "apps/redis/server/names.h"

namespace bloomery::redis_module {
namespace {

constexpr int kAtIndex = 2;
constexpr int kRange = 2;
constexpr int kCounted = 3;

int arity_of(const CommandSpec& spec) {
  return spec.max_arity == spec.min_arity ? spec.min_arity : -spec.min_arity;
}

void describe(Command* command, const CommandSpec& spec) {
  static const CommandInfoVersion kVersion;
  KeySpec specs[3] = {};  // the key is the first argument; zeros end the array
  specs[0].flags = spec.key_flags;
  specs[0].begin_search = kAtIndex;
  specs[0].begin.index.position = 1;
  specs[0].find_keys = kRange;
  specs[0].find.range = {0, 1, 0};
  if (spec.counted_key_flags != 0) {
    specs[1].flags = spec.counted_key_flags;
    specs[1].begin_search = kAtIndex;
    specs[1].begin.index.position = 2;
    specs[1].find_keys = kCounted;
    specs[1].find.counted = {0, 1, 1};
  }
  CommandInfo info;
  info.version = &kVersion;
  info.summary = spec.summary;
  info.complexity = spec.complexity;
  info.since = spec.since;
  info.arity = arity_of(spec);
  info.key_specs = specs;
  info.arguments = spec.arguments;
  api.SetCommandInfo(command, &info);  // a server that refuses it says so in its log
}

}  // namespace

bool register_command(Context* context, const CommandSpec& spec, CommandFunction function) {
  const std::string name = command_name(spec.name);
  if (api.CreateCommand(context, name.c_str(), function, spec.flags, 1, 1, 1) != kOk) return false;
  if (api.GetCommand == nullptr) return true;
  Command* command = api.GetCommand(context, name.c_str());
  if (command == nullptr) return false;
  if (api.SetCommandInfo != nullptr) describe(command, spec);
  // Before categories of a module's own, naming one is an error: the others are then left too.
  if (api.AddACLCategory != nullptr && api.SetCommandACLCategories != nullptr)
    api.SetCommandACLCategories(command, spec.categories);
  return true;
}

}  // namespace bloomery::redis_module
