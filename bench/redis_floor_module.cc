// What a server takes for a module's command before the module does anything: FLOOR.GET key item,
// FLOOR.MGET key item..., and FLOOR.SET, FLOOR.MSET which replicate. Each opens the key and answers
// a zero for each item, so that the time of BF.* beyond it is the filter's. For redis_bench.py
// only.
#include "apps/redis/server/command_call.h"

namespace {

using namespace bloomery::redis_module;

void open_and_close(Context* context, String* name, int mode) {
  if (Key* key = api.OpenKey(context, name, mode)) api.CloseKey(key);
}

int reply_zero(Context* context) {
  return api.ReplyWithBool != nullptr ? api.ReplyWithBool(context, 0)
                                      : api.ReplyWithLongLong(context, 0);
}

int reply_zeros(Context* context, int count) {
  api.ReplyWithArray(context, count);
  for (int i = 0; i < count; ++i) reply_zero(context);
  return kOk;
}

int get(Context* context, String** words, int) {
  open_and_close(context, words[1], kRead);
  return reply_zero(context);
}

int set(Context* context, String** words, int) {
  open_and_close(context, words[1], kRead | kWrite);
  api.ReplicateVerbatim(context);
  return reply_zero(context);
}

int get_many(Context* context, String** words, int count) {
  open_and_close(context, words[1], kRead);
  return reply_zeros(context, count - 2);
}

int set_many(Context* context, String** words, int count) {
  open_and_close(context, words[1], kRead | kWrite);
  api.ReplicateVerbatim(context);
  return reply_zeros(context, count - 2);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(Context* context, String**,
                                                                         int) {
  if (bind_api(context) != nullptr) return kError;
  api.SetModuleAttribs(context, "floor", 1, kApiVersion);
  struct Row {
    const char* name;
    CommandFunction function;
    const char* flags;
  };
  for (const Row& row :
       {Row{"floor.get", get, "readonly fast"}, Row{"floor.set", set, "write deny-oom"},
        Row{"floor.mget", get_many, "readonly fast"},
        Row{"floor.mset", set_many, "write deny-oom"}})
    if (api.CreateCommand(context, row.name, row.function, row.flags, 1, 1, 1) != kOk)
      return kError;
  return kOk;
}
