// The records by which an index says which sections it has, and how a reorganisation takes them
// back. A section is valid while the hash recorded for it is that of its last canonical block.
#pragma once
#include "apps/ethlog/kv/kv.h"
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Blocks per section of every index in a store of ours, once there is one.
inline constexpr std::string_view kSectionSizeKey = "bloomery/section-size";

// Of the adaptive index; the bloom-bit index has geth's own keys for the same (schema.h).
std::string adaptive_head_key(std::uint64_t section);

// Takes back every section of either index that holds block `first_changed` or a later one. What
// the sections were made of stays as garbage under the old head's hash, and is never asked again.
Status roll_back_sections(const KeyValueStore& store, std::uint64_t section_size,
                          std::uint64_t first_changed, WriteBatch& batch);

// Whether an index has a section, valid or not.
struct IndexesThere {
  bool bloombits = false;
  bool adaptive = false;
};
Result<IndexesThere> indexes_in(const KeyValueStore& store);

// Removes every record of the indexes that are named. The sections go first, in one step: what is
// left after a crash is never read. Without sections the size of one is no longer fixed.
Status drop_indexes(KeyValueStore& store, const IndexesThere& which);
// Forgets the size of sections where no index has one.
Status forget_unused_section_size(KeyValueStore& store);

}  // namespace bloomery::ethlog
