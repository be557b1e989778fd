#include "apps/redis/bf_dispatch.h"
#include "apps/redis/command/command_specs.h"
#include "apps/redis/cuckoo/commands.h"
#include "apps/redis/native/commands.h"

namespace bloomery::redis_module {
namespace {

Argument key_arguments[] = {kKeyName, {}};
Argument key_item[] = {kKeyName, kItem, {}};
Argument key_items[] = {kKeyName, kItems, {}};
Argument reserve_arguments[] = {
    kKeyName,
    word("capacity", ArgumentType::kInteger),
    word("bucketsize", ArgumentType::kInteger, kOptionalArgument, "BUCKETSIZE"),
    word("maxiterations", ArgumentType::kInteger, kOptionalArgument, "MAXITERATIONS"),
    word("expansion", ArgumentType::kInteger, kOptionalArgument, "EXPANSION"),
    {}};
Argument insert_arguments[] = {
    kKeyName,
    word("capacity", ArgumentType::kInteger, kOptionalArgument, "CAPACITY"),
    word("nocreate", ArgumentType::kPureToken, kOptionalArgument, "NOCREATE"),
    word("items", ArgumentType::kPureToken, 0, "ITEMS"),
    kItems,
    {}};
Argument scandump_arguments[] = {kKeyName, kIterator, {}};
Argument loadchunk_arguments[] = {kKeyName, kIterator, word("data", ArgumentType::kString), {}};

// A reader's command in the peer, although it changes data. The server must know that it is sent to
// replicas: while writes are paused, a command that says nothing of it and is sent ends the server.
constexpr const char* kCompacts = "readonly fast may-replicate";
constexpr std::uint64_t kTakesOut = kKeyReadWrite | kKeyDelete;
constexpr const char* kPerKey =
    "O(k + i), where k is the number of sub-filters and i maxIterations";
constexpr const char* kPerKeys =
    "O(n * (k + i)), where n is the number of items, k the number of sub-filters and i "
    "maxIterations";
constexpr const char* kPerLook = "O(k), where k is the number of sub-filters";

int compact(const Call& call) {
  const int mode = may_compact(call.context) ? kRead | kWrite : kRead;
  return answer_for_cuckoo(call, {cf_compact, nullptr, mode});
}

constexpr CommandRow kCuckooCommands[] = {
    {"cf.reserve", writes_cuckoo<cf_reserve>, 3, 0, kWrites, "write fast cuckoo", kAdds,
     "Makes an empty cuckoo filter for a number of items", "O(1)", "1.0.0", reserve_arguments},
    {"cf.add", writes_cuckoo<cf_add>, 3, 3, kWrites, "write cuckoo", kAdds,
     "Adds one item to a cuckoo filter, and makes the filter where there is none", kPerKey, "1.0.0",
     key_item},
    {"cf.addnx", writes_cuckoo<cf_addnx>, 3, 3, kWrites, "write cuckoo", kAdds,
     "Adds one item to a cuckoo filter unless it seems to be in, and makes the filter where there "
     "is none",
     kPerKey, "1.0.0", key_item},
    {"cf.insert", writes_cuckoo<cf_insert>, 4, 0, kWrites, "write cuckoo", kAdds,
     "Adds items to a cuckoo filter, which is made with the options given where there is none",
     kPerKeys, "1.0.0", insert_arguments},
    {"cf.insertnx", writes_cuckoo<cf_insertnx>, 4, 0, kWrites, "write cuckoo", kAdds,
     "Adds those items to a cuckoo filter that seem absent; it is made with the options given "
     "where there is none",
     kPerKeys, "1.0.0", insert_arguments},
    {"cf.exists", reads_cuckoo<cf_exists>, 3, 3, kReads, "read cuckoo", kLooks,
     "Tells whether an item may have been added to a cuckoo filter", kPerLook, "1.0.0", key_item},
    {"cf.mexists", reads_cuckoo<cf_mexists>, 3, 0, kReads, "read cuckoo", kLooks,
     "Tells for each item whether it may have been added to a cuckoo filter",
     "O(k * n), where k is the number of sub-filters and n the number of items", "1.0.0",
     key_items},
    {"cf.count", reads_cuckoo<cf_count>, 3, 3, kReads, "read cuckoo", kLooks,
     "Returns how often an item may have been added to a cuckoo filter", kPerLook, "1.0.0",
     key_item},
    {"cf.del", writes_cuckoo<cf_del>, 3, 3, "write fast", "write cuckoo", kTakesOut,
     "Removes an item once from a cuckoo filter", kPerLook, "1.0.0", key_item},
    {"cf.compact", compact, 1, 0, kCompacts, "read cuckoo", kOverwrites,
     "Moves items of newer sub-filters into the room that removed ones left in older",
     "O(n), where n is the size of the filter", "1.0.0", key_arguments},
    {"cf.info", reads_cuckoo<cf_info>, 2, 2, kReads, "read fast cuckoo", kLooks,
     "Returns the size, item count and growth of a cuckoo filter", "O(1)", "1.0.0", key_arguments},
    {"cf.debug", reads_cuckoo<cf_debug>, 2, 2, kReads, "read cuckoo", kLooks,
     "Returns the numbers of a cuckoo filter in one line", "O(1)", "1.0.0", key_arguments},
    {"cf.scandump", reads_cuckoo<cf_scandump>, 3, 3, kReads, "read cuckoo", kLooks,
     "Returns the next piece of a cuckoo filter, for CF.LOADCHUNK elsewhere",
     "O(n), where n is the size of the piece", "1.0.0", scandump_arguments},
    {"cf.loadchunk", loads_cuckoo<cf_loadchunk, cf_loadchunk_more>, 4, 4, kWrites, "write cuckoo",
     kOverwrites, "Restores a piece of a cuckoo filter that CF.SCANDUMP returned",
     "O(n), where n is the size of the piece", "1.0.0", loadchunk_arguments},
};

}  // namespace

bool register_cuckoo_commands(Context* context) {
  // It may be there from another module; then it is shared.
  if (api.AddACLCategory != nullptr) api.AddACLCategory(context, "cuckoo");
  return register_commands<kCuckooCommands>(context);
}

}  // namespace bloomery::redis_module
