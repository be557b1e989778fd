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
    make_argument("capacity", ArgumentType::kInteger),
    make_argument("bucketsize", ArgumentType::kInteger, kOptionalArgument, "BUCKETSIZE"),
    make_argument("maxiterations", ArgumentType::kInteger, kOptionalArgument, "MAXITERATIONS"),
    make_argument("expansion", ArgumentType::kInteger, kOptionalArgument, "EXPANSION"),
    {}};
Argument insert_arguments[] = {
    kKeyName,
    make_argument("capacity", ArgumentType::kInteger, kOptionalArgument, "CAPACITY"),
    make_argument("nocreate", ArgumentType::kPureToken, kOptionalArgument, "NOCREATE"),
    make_argument("items", ArgumentType::kPureToken, 0, "ITEMS"),
    kItems,
    {}};
Argument scandump_arguments[] = {kKeyName, kIterator, {}};
Argument loadchunk_arguments[] = {
    kKeyName, kIterator, make_argument("data", ArgumentType::kString), {}};

// RedisBloom registers it as a reading command, although it changes data. The server must know that
// it is replicated: a command without that flag that replicates while writes are paused ends the
// server.
constexpr const char* kCompacts = "readonly fast may-replicate";
constexpr std::uint64_t kTakesOut = kKeyReadWrite | kKeyDelete;
constexpr const char* kPerKey =
    "O(k + i), where k is the number of sub-filters and i maxIterations";
constexpr const char* kPerKeys =
    "O(n * (k + i)), where n is the number of items, k the number of sub-filters and i "
    "maxIterations";
constexpr const char* kPerLook = "O(k), where k is the number of sub-filters";

constexpr CommandRow kCuckooCommands[] = {
    {writes_cuckoo(cf_reserve),
     {"cf.reserve", 3, 0, kWrites, "write fast cuckoo", kAdds,
      "Creates an empty cuckoo filter for a number of items", "O(1)", "1.0.0", reserve_arguments}},
    {writes_cuckoo(cf_add),
     {"cf.add", 3, 3, kWrites, "write cuckoo", kAdds,
      "Adds one item to a cuckoo filter, and creates the filter if it does not exist", kPerKey,
      "1.0.0", key_item}},
    {writes_cuckoo(cf_addnx),
     {"cf.addnx", 3, 3, kWrites, "write cuckoo", kAdds,
      "Adds one item to a cuckoo filter if it seems absent, and creates the filter if it does not "
      "exist",
      kPerKey, "1.0.0", key_item}},
    {writes_cuckoo(cf_insert),
     {"cf.insert", 4, 0, kWrites, "write cuckoo", kAdds,
      "Adds items to a cuckoo filter, which is created with the given options if it does not exist",
      kPerKeys, "1.0.0", insert_arguments}},
    {writes_cuckoo(cf_insertnx),
     {"cf.insertnx", 4, 0, kWrites, "write cuckoo", kAdds,
      "Adds those items to a cuckoo filter that seem absent; creates it with the given options if "
      "it does not exist",
      kPerKeys, "1.0.0", insert_arguments}},
    {reads_cuckoo(cf_exists),
     {"cf.exists", 3, 3, kReads, "read cuckoo", kLooks,
      "Returns whether an item may have been added to a cuckoo filter", kPerLook, "1.0.0",
      key_item}},
    {reads_cuckoo(cf_mexists),
     {"cf.mexists", 3, 0, kReads, "read cuckoo", kLooks,
      "Returns for each item whether it may have been added to a cuckoo filter",
      "O(k * n), where k is the number of sub-filters and n the number of items", "1.0.0",
      key_items}},
    {reads_cuckoo(cf_count),
     {"cf.count", 3, 3, kReads, "read cuckoo", kLooks,
      "Returns how often an item may have been added to a cuckoo filter", kPerLook, "1.0.0",
      key_item}},
    {writes_cuckoo(cf_del),
     {"cf.del", 3, 3, "write fast", "write cuckoo", kTakesOut,
      "Removes an item once from a cuckoo filter", kPerLook, "1.0.0", key_item}},
    {compacts_cuckoo(cf_compact),
     {"cf.compact", 1, 0, kCompacts, "read cuckoo", kOverwrites,
      "Moves items of newer sub-filters into free slots of older ones",
      "O(n), where n is the size of the filter", "1.0.0", key_arguments}},
    {reads_cuckoo(cf_info),
     {"cf.info", 2, 2, kReads, "read fast cuckoo", kLooks,
      "Returns the size, item count and growth of a cuckoo filter", "O(1)", "1.0.0",
      key_arguments}},
    {reads_cuckoo(cf_debug),
     {"cf.debug", 2, 2, kReads, "read cuckoo", kLooks,
      "Returns the numbers of a cuckoo filter in one line", "O(1)", "1.0.0", key_arguments}},
    {reads_cuckoo(cf_scandump),
     {"cf.scandump", 3, 3, kReads, "read cuckoo", kLooks,
      "Returns the next piece of a cuckoo filter, for CF.LOADCHUNK elsewhere",
      "O(n), where n is the size of the piece", "1.0.0", scandump_arguments}},
    {loads_cuckoo(load_cuckoo_chunk, continue_cuckoo_load),
     {"cf.loadchunk", 4, 4, kWrites, "write cuckoo", kOverwrites,
      "Restores a piece of a cuckoo filter that CF.SCANDUMP returned",
      "O(n), where n is the size of the piece", "1.0.0", loadchunk_arguments}},
};

}  // namespace

bool register_cuckoo_commands(Context* context) {
  // Another module may have added the category; then it is shared.
  if (api.AddACLCategory != nullptr) api.AddACLCategory(context, "cuckoo");
  return register_commands<kCuckooCommands>(context);
}

}  // namespace bloomery::redis_module
