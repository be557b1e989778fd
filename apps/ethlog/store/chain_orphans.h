// Records of blocks that are left in a damaged chain without the block they belong to.
#pragma once
#include <map>

#include "apps/ethlog/kv/kv.h"
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Adds to the batch the removal of every header, body, receipt list and note of a block that is not
// in `kept`. A part of a block that stayed behind would be taken for the block when it is imported
// again. Side branches go too: they can be imported again.
Status drop_orphans(const KeyValueStore& store, const std::map<std::uint64_t, Hash>& kept,
                    WriteBatch& batch);

}  // namespace bloomery::ethlog
