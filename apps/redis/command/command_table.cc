#include "apps/redis/command/command_table.h"

#include "apps/redis/server/config.h"
#include "apps/redis/server/guard.h"
#include "apps/redis/server/names.h"
#include "apps/redis/server/numbers.h"
#include "apps/redis/server/replies.h"

namespace bloomery::redis_module {
namespace {

constexpr int kAtIndex = 2;
constexpr int kRange = 2;
constexpr int kCounted = 3;
constexpr std::size_t kFirstCounted = 3;

int arity_of(const CommandRow& row) {
  return row.most_words == row.least_words ? row.least_words : -row.least_words;
}

void describe(Command* command, const CommandRow& row) {
  static const CommandInfoVersion kVersion;
  KeySpec specs[3] = {};  // the key is the word after the name; zeros end the array
  specs[0].flags = row.key_flags;
  specs[0].begin_search = kAtIndex;
  specs[0].begin.index.position = 1;
  specs[0].find_keys = kRange;
  specs[0].find.range = {0, 1, 0};
  if (row.counted_key_flags != 0) {
    specs[1].flags = row.counted_key_flags;
    specs[1].begin_search = kAtIndex;
    specs[1].begin.index.position = 2;
    specs[1].find_keys = kCounted;
    specs[1].find.counted = {0, 1, 1};
  }
  CommandInfo info;
  info.version = &kVersion;
  info.summary = row.summary;
  info.complexity = row.complexity;
  info.since = row.since;
  info.arity = arity_of(row);
  info.key_specs = specs;
  info.arguments = row.arguments;
  api.SetCommandInfo(command, &info);  // a server that refuses it says so in its log
}

// Nothing may be answered here: there is no client, and the words are unchecked.
void name_keys(const Call& call) {
  if (call.words.size() > 1) api.KeyAtPos(call.context, 1);
  const std::size_t keys = counted_keys(call).value_or(0);
  for (std::size_t i = 0; i < keys; ++i)
    api.KeyAtPos(call.context, static_cast<int>(kFirstCounted + i));
}

}  // namespace

std::optional<std::size_t> counted_keys(const Call& call) {
  if (call.words.size() <= kFirstCounted) return std::nullopt;
  const auto keys = parse_integer(call.text(2));
  const auto most = static_cast<std::int64_t>(call.words.size() - kFirstCounted);
  if (!keys || *keys < 1 || *keys > most) return std::nullopt;
  return static_cast<std::size_t>(*keys);
}

int run(const CommandRow& row, Context* context, String** words, int count) {
  const Call call{context, {words, static_cast<std::size_t>(count)}};
  if (row.counted_key_flags != 0 && api.IsKeysPositionRequest(context) != 0) {
    name_keys(call);
    return kOk;
  }
  if (count < row.least_words || (row.most_words != 0 && count > row.most_words))
    return reply_refusal(call, Refusal::kArity);
  if (row.is_ours && refuses_ours(context)) return reply_refusal(call, Refusal::kRedisBloomOnly);
  constexpr int kThrew = -1;
  const int answered = guard(kThrew, [&] { return row.answer(call); });
  return answered == kThrew ? reply_refusal(call, Refusal::kNoMemory) : answered;
}

bool register_command(Context* context, const CommandRow& row, CommandFunction function) {
  const std::string name = command_name(row.name);
  if (api.CreateCommand(context, name.c_str(), function, row.flags, 1, 1, 1) != kOk) return false;
  if (api.GetCommand == nullptr) return true;
  Command* command = api.GetCommand(context, name.c_str());
  if (command == nullptr) return false;
  if (api.SetCommandInfo != nullptr) describe(command, row);
  // Before categories of a module's own, naming one is an error: the others are then left too.
  if (api.AddACLCategory != nullptr && api.SetCommandACLCategories != nullptr)
    api.SetCommandACLCategories(command, row.categories);
  return true;
}

}  // namespace bloomery::redis_module
