#include "apps/redis/bf_dispatch.h"
#include "apps/redis/bloom/commands.h"
#include "apps/redis/command/command_specs.h"
#include "apps/redis/native/commands.h"

namespace bloomery::redis_module {
namespace {

constexpr Argument kExpansion =
    make_argument("expansion", ArgumentType::kInteger, kOptionalArgument, "EXPANSION");
constexpr Argument kNonScaling =
    make_argument("nonscaling", ArgumentType::kPureToken, kOptionalArgument, "NONSCALING");
constexpr Argument token(const char* name, const char* spelled) {
  return make_argument(name, ArgumentType::kPureToken, 0, spelled);
}

constexpr Argument option(const char* name, const char* spelled) {
  return make_argument(name, ArgumentType::kPureToken, kOptionalArgument, spelled);
}
Argument window_parts[] = {
    make_argument("seconds", ArgumentType::kInteger, 0, "WINDOW"),
    make_argument("slices", ArgumentType::kInteger, kOptionalArgument, "SLICES"),
    {}};
constexpr Argument window_option() {
  Argument argument = make_argument("window", ArgumentType::kBlock, kOptionalArgument);
  argument.parts = window_parts;
  return argument;
}
Argument layouts[] = {token("block", "BLOCK"), {}};
constexpr Argument layout_option() {
  Argument argument = make_argument("layout", ArgumentType::kOneOf, kOptionalArgument, "LAYOUT");
  argument.parts = layouts;
  return argument;
}
Argument part_parts[] = {make_argument("index", ArgumentType::kInteger, 0, "PART"),
                         make_argument("parts", ArgumentType::kInteger),
                         {}};
constexpr Argument part_option() {
  Argument argument = make_argument("part", ArgumentType::kBlock, kOptionalArgument);
  argument.parts = part_parts;
  return argument;
}

Argument key_arguments[] = {kKeyName, {}};
Argument key_item[] = {kKeyName, kItem, {}};
Argument key_items[] = {kKeyName, kItems, {}};
Argument reserve_arguments[] = {kKeyName,
                                make_argument("error_rate", ArgumentType::kDouble),
                                make_argument("capacity", ArgumentType::kInteger),
                                kExpansion,
                                kNonScaling,
                                option("counting", "COUNTING"),
                                window_option(),
                                layout_option(),
                                part_option(),
                                option("secret", "SECRET"),
                                {}};
Argument rotate_arguments[] = {
    kKeyName, make_argument("milliseconds", ArgumentType::kUnixTime, kOptionalArgument), {}};
Argument insert_arguments[] = {
    kKeyName,
    make_argument("capacity", ArgumentType::kInteger, kOptionalArgument, "CAPACITY"),
    make_argument("error", ArgumentType::kDouble, kOptionalArgument, "ERROR"),
    kExpansion,
    make_argument("nocreate", ArgumentType::kPureToken, kOptionalArgument, "NOCREATE"),
    kNonScaling,
    token("items", "ITEMS"),
    kItems,
    {}};
Argument info_fields[] = {token("capacity", "CAPACITY"),   token("size", "SIZE"),
                          token("filters", "FILTERS"),     token("items", "ITEMS"),
                          token("expansion", "EXPANSION"), {}};
constexpr Argument info_field() {
  Argument argument = make_argument("single_value", ArgumentType::kOneOf, kOptionalArgument);
  argument.parts = info_fields;
  return argument;
}
Argument info_arguments[] = {kKeyName, info_field(), {}};
Argument scandump_arguments[] = {kKeyName, kIterator, {}};
Argument loadchunk_arguments[] = {
    kKeyName, kIterator, make_argument("data", ArgumentType::kString), {}};
constexpr Argument source_keys() {
  Argument argument = make_argument("source", ArgumentType::kKey, kRepeatedArgument);
  argument.key_spec_index = 1;
  return argument;
}
Argument merge_arguments[] = {
    make_argument("destination", ArgumentType::kKey),
    make_argument("numkeys", ArgumentType::kInteger),
    source_keys(),
    make_argument("force", ArgumentType::kPureToken, kOptionalArgument, "FORCE"),
    {}};

constexpr bool kExtension = true;
constexpr std::uint64_t kEmpties = kKeyReadWrite | kKeyDelete;

constexpr CommandRow kBloomCommands[] = {
    {writes(reserve_by_options, native_reserve_again),
     {"bf.reserve", 4, 0, kWrites, "write fast bloom", kAdds,
      "Creates an empty Bloom filter for a number of items and an error rate", "O(1)", "1.0.0",
      reserve_arguments}},
    {writes(bf_add, native_add),
     {"bf.add", 3, 3, kWrites, "write bloom", kAdds,
      "Adds one item to a Bloom filter, and creates the filter if it does not exist",
      "O(k), where k is the number of probes of the newest sub-filter", "1.0.0", key_item}},
    {writes(bf_madd, native_madd),
     {"bf.madd", 3, 0, kWrites, "write bloom", kAdds,
      "Adds items to a Bloom filter, and creates the filter if it does not exist",
      "O(k * n), where k is the number of probes and n the number of items", "1.0.0", key_items}},
    {writes(bf_insert, native_insert),
     {"bf.insert", 4, 0, kWrites, "write bloom", kAdds,
      "Adds items to a Bloom filter, which is created with the given options if it does not exist",
      "O(k * n), where k is the number of probes and n the number of items", "1.0.0",
      insert_arguments}},
    {reads(bf_exists, native_exists),
     {"bf.exists", 3, 3, kReads, "read bloom", kLooks,
      "Returns whether an item may have been added to a Bloom filter",
      "O(k), where k is the number of probes of all sub-filters", "1.0.0", key_item}},
    {reads(bf_mexists, native_mexists),
     {"bf.mexists", 3, 0, kReads, "read bloom", kLooks,
      "Returns for each item whether it may have been added to a Bloom filter",
      "O(k * n), where k is the number of probes and n the number of items", "1.0.0", key_items}},
    {reads(bf_info, native_info),
     {"bf.info", 2, 3, kReads, "read fast bloom", kLooks,
      "Returns the size, item count and growth of a Bloom filter", "O(1)", "1.0.0",
      info_arguments}},
    {reads(bf_card, native_card),
     {"bf.card", 2, 2, kReads, "read fast bloom", kLooks,
      "Returns how many items were new to a Bloom filter when they were added", "O(1)", "2.4.4",
      key_arguments}},
    {reads(bf_debug, native_debug),
     {"bf.debug", 2, 2, kReads, "read bloom", kLooks,
      "Returns the numbers of each sub-filter of a Bloom filter",
      "O(n), where n is the number of sub-filters", "1.0.0", key_arguments}},
    {reads(bf_scandump, native_scandump),
     {"bf.scandump", 3, 3, kReads, "read bloom", kLooks,
      "Returns the next piece of a Bloom filter, for BF.LOADCHUNK elsewhere",
      "O(n), where n is the size of the piece", "1.0.0", scandump_arguments}},
    {loads(load_bloom_chunk, native_loadchunk),
     {"bf.loadchunk", 4, 4, kWrites, "write bloom", kOverwrites,
      "Restores a piece of a Bloom filter that BF.SCANDUMP returned",
      "O(n), where n is the size of the piece", "1.0.0", loadchunk_arguments}},
    {merges(merge_bloom, native_merge),
     {"bf.merge", 4, 0, "write deny-oom getkeys-api", "write bloom", kAdds | kKeyAccess,
      "Adds all items of Bloom filters of one shape to another, which is created if it does not "
      "exist",
      "O(n * s), where n is the number of sources and s the size of one", "8.10.0", merge_arguments,
      kLooks, kExtension}},
    {writes(bf_clear, native_clear),
     {"bf.clear", 2, 2, "write", "write bloom", kEmpties,
      "Empties a Bloom filter, which keeps its parameters and its first sub-filter",
      "O(n), where n is the size of the filter", "8.10.0", key_arguments, 0, kExtension}},
    {reads(bf_health, native_health),
     {"bf.health", 2, 2, "readonly", "read bloom", kLooks,
      "Returns how full a Bloom filter is and its current error rate, computed from its bits",
      "O(n), where n is the size of the filter", "8.10.0", key_arguments, 0, kExtension}},
    {writes(bf_del, native_del),
     {"bf.del", 3, 3, "write fast", "write fast bloom", kEmpties,
      "Removes one copy of an item from a Bloom filter that was made with COUNTING",
      "O(k), where k is the number of probes of all sub-filters", "8.10.0", key_item, 0,
      kExtension}},
    {writes(bf_rotate, native_rotate),
     {"bf.rotate", 2, 4, "write", "write bloom", kEmpties,
      "Moves the window of a Bloom filter that was made with WINDOW; a primary does so by itself",
      "O(n), where n is the number of slices that end", "8.10.0", rotate_arguments, 0, kExtension}},
};

}  // namespace

bool register_bloom_commands(Context* context) {
  // Another module may have added the category; then it is shared.
  if (api.AddACLCategory != nullptr) api.AddACLCategory(context, "bloom");
  return register_commands<kBloomCommands>(context);
}

}  // namespace bloomery::redis_module
