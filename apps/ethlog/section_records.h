// The records by which an index says which sections it has, and how a reorganisation takes them
// back. A section is valid while the hash recorded for it is that of its last canonical block.
#pragma once
#include "apps/ethlog/chain.h"
#include "apps/ethlog/kv.h"

namespace bloomery::ethlog {

// Blocks per section of every index in a store of ours, once there is one.
inline constexpr std::string_view kSectionSizeKey = "bloomery/section-size";

// Of the adaptive index; the bloom-bit index has geth's own keys for the same (schema.h).
std::string adaptive_head_key(std::uint64_t section);

// Takes back every section of either index that holds block `first_changed` or a later one. What
// the sections were made of stays as garbage under the old head's hash, and is never asked again.
Status roll_back_sections(const KeyValueStore& store, std::uint64_t section_size,
                          std::uint64_t first_changed, WriteBatch& batch);

}  // namespace bloomery::ethlog
