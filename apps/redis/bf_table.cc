#include "apps/redis/bf_dispatch.h"
#include "apps/redis/bloom/commands.h"
#include "apps/redis/command/command_specs.h"
#include "apps/redis/native/commands.h"

namespace bloomery::redis_module {
namespace {

constexpr Argument kExpansion =
    word("expansion", ArgumentType::kInteger, kOptionalArgument, "EXPANSION");
constexpr Argument kNonScaling =
    word("nonscaling", ArgumentType::kPureToken, kOptionalArgument, "NONSCALING");
constexpr Argument token(const char* name, const char* spelled) {
  return word(name, ArgumentType::kPureToken, 0, spelled);
}

constexpr Argument option(const char* name, const char* spelled) {
  return word(name, ArgumentType::kPureToken, kOptionalArgument, spelled);
}
Argument window_parts[] = {word("seconds", ArgumentType::kInteger, 0, "WINDOW"),
                           word("slices", ArgumentType::kInteger, kOptionalArgument, "SLICES"),
                           {}};
constexpr Argument window_option() {
  Argument argument = word("window", ArgumentType::kBlock, kOptionalArgument);
  argument.parts = window_parts;
  return argument;
}
Argument layouts[] = {token("block", "BLOCK"), {}};
constexpr Argument layout_option() {
  Argument argument = word("layout", ArgumentType::kOneOf, kOptionalArgument, "LAYOUT");
  argument.parts = layouts;
  return argument;
}

Argument key_arguments[] = {kKeyName, {}};
Argument key_item[] = {kKeyName, kItem, {}};
Argument key_items[] = {kKeyName, kItems, {}};
Argument reserve_arguments[] = {kKeyName,
                                word("error_rate", ArgumentType::kDouble),
                                word("capacity", ArgumentType::kInteger),
                                kExpansion,
                                kNonScaling,
                                option("counting", "COUNTING"),
                                window_option(),
                                layout_option(),
                                option("secret", "SECRET"),
                                {}};
Argument rotate_arguments[] = {
    kKeyName, word("milliseconds", ArgumentType::kUnixTime, kOptionalArgument), {}};
Argument insert_arguments[] = {
    kKeyName,
    word("capacity", ArgumentType::kInteger, kOptionalArgument, "CAPACITY"),
    word("error", ArgumentType::kDouble, kOptionalArgument, "ERROR"),
    kExpansion,
    word("nocreate", ArgumentType::kPureToken, kOptionalArgument, "NOCREATE"),
    kNonScaling,
    token("items", "ITEMS"),
    kItems,
    {}};
Argument info_fields[] = {token("capacity", "CAPACITY"),   token("size", "SIZE"),
                          token("filters", "FILTERS"),     token("items", "ITEMS"),
                          token("expansion", "EXPANSION"), {}};
constexpr Argument info_field() {
  Argument argument = word("single_value", ArgumentType::kOneOf, kOptionalArgument);
  argument.parts = info_fields;
  return argument;
}
Argument info_arguments[] = {kKeyName, info_field(), {}};
Argument scandump_arguments[] = {kKeyName, kIterator, {}};
Argument loadchunk_arguments[] = {kKeyName, kIterator, word("data", ArgumentType::kString), {}};
constexpr Argument source_keys() {
  Argument argument = word("source", ArgumentType::kKey, kRepeatedArgument);
  argument.key_spec_index = 1;
  return argument;
}
Argument merge_arguments[] = {word("destination", ArgumentType::kKey),
                              word("numkeys", ArgumentType::kInteger),
                              source_keys(),
                              word("force", ArgumentType::kPureToken, kOptionalArgument, "FORCE"),
                              {}};

constexpr bool kOurs = true;
constexpr std::uint64_t kEmpties = kKeyReadWrite | kKeyDelete;

constexpr CommandRow kBloomCommands[] = {
    {"bf.reserve", writes<bf_reserve, native_reserve_again>, 4, 0, kWrites, "write fast bloom",
     kAdds, "Makes an empty Bloom filter for a number of items and an error rate", "O(1)", "1.0.0",
     reserve_arguments},
    {"bf.add", writes<bf_add, native_add>, 3, 3, kWrites, "write bloom", kAdds,
     "Adds one item to a Bloom filter, and makes the filter where there is none",
     "O(k), where k is the number of probes of the newest sub-filter", "1.0.0", key_item},
    {"bf.madd", writes<bf_madd, native_madd>, 3, 0, kWrites, "write bloom", kAdds,
     "Adds items to a Bloom filter, and makes the filter where there is none",
     "O(k * n), where k is the number of probes and n the number of items", "1.0.0", key_items},
    {"bf.insert", writes<bf_insert, native_insert>, 4, 0, kWrites, "write bloom", kAdds,
     "Adds items to a Bloom filter, which is made with the options given where there is none",
     "O(k * n), where k is the number of probes and n the number of items", "1.0.0",
     insert_arguments},
    {"bf.exists", reads<bf_exists, native_exists>, 3, 3, kReads, "read bloom", kLooks,
     "Tells whether an item may have been added to a Bloom filter",
     "O(k), where k is the number of probes of all sub-filters", "1.0.0", key_item},
    {"bf.mexists", reads<bf_mexists, native_mexists>, 3, 0, kReads, "read bloom", kLooks,
     "Tells for each item whether it may have been added to a Bloom filter",
     "O(k * n), where k is the number of probes and n the number of items", "1.0.0", key_items},
    {"bf.info", reads<bf_info, native_info>, 2, 3, kReads, "read fast bloom", kLooks,
     "Returns the size, item count and growth of a Bloom filter", "O(1)", "1.0.0", info_arguments},
    {"bf.card", reads<bf_card, native_card>, 2, 2, kReads, "read fast bloom", kLooks,
     "Returns how many items were new to a Bloom filter when they were added", "O(1)", "2.4.4",
     key_arguments},
    {"bf.debug", reads<bf_debug, native_debug>, 2, 2, kReads, "read bloom", kLooks,
     "Returns the numbers of each sub-filter of a Bloom filter",
     "O(n), where n is the number of sub-filters", "1.0.0", key_arguments},
    {"bf.scandump", reads<bf_scandump, native_scandump>, 3, 3, kReads, "read bloom", kLooks,
     "Returns the next piece of a Bloom filter, for BF.LOADCHUNK elsewhere",
     "O(n), where n is the size of the piece", "1.0.0", scandump_arguments},
    {"bf.loadchunk", loads<bf_loadchunk, native_loadchunk>, 4, 4, kWrites, "write bloom",
     kOverwrites, "Restores a piece of a Bloom filter that BF.SCANDUMP returned",
     "O(n), where n is the size of the piece", "1.0.0", loadchunk_arguments},
    {"bf.merge", merges<bf_merge, native_merge>, 4, 0, "write deny-oom getkeys-api", "write bloom",
     kAdds | kKeyAccess,
     "Adds all items of Bloom filters of one shape to another, which is made where there is none",
     "O(n * s), where n is the number of sources and s the size of one", "8.10.0", merge_arguments,
     kLooks, kOurs},
    {"bf.clear", writes<bf_clear, native_clear>, 2, 2, "write", "write bloom", kEmpties,
     "Empties a Bloom filter, which keeps its parameters and loses what it has grown by",
     "O(n), where n is the size of the filter", "8.10.0", key_arguments, 0, kOurs},
    {"bf.health", reads<bf_health, native_health>, 2, 2, "readonly", "read bloom", kLooks,
     "Returns how full a Bloom filter is and how often it errs now, by its bits",
     "O(n), where n is the size of the filter", "8.10.0", key_arguments, 0, kOurs},
    {"bf.del", writes<bf_del, native_del>, 3, 3, "write fast", "write fast bloom", kEmpties,
     "Takes one copy of an item out of a Bloom filter that was made with COUNTING",
     "O(k), where k is the number of probes of all sub-filters", "8.10.0", key_item, 0, kOurs},
    {"bf.rotate", writes<bf_rotate, native_rotate>, 2, 4, "write", "write bloom", kEmpties,
     "Moves the window of a Bloom filter that was made with WINDOW; a primary does so by itself",
     "O(n), where n is the number of slices that end", "8.10.0", rotate_arguments, 0, kOurs},
};

}  // namespace

bool register_bloom_commands(Context* context) {
  // It may be there from another module; then it is shared.
  if (api.AddACLCategory != nullptr) api.AddACLCategory(context, "bloom");
  return register_commands<kBloomCommands>(context);
}

}  // namespace bloomery::redis_module
