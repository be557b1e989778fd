// What every imported block goes through before it is stored: all that its source gave is compared
// with all that can be recomputed. A difference is an error that names the block and what differs;
// a check for which a part is missing leaves its flag in `verified` unset.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Header hash and members, body, transaction hashes, blooms, receipts root. Fills `verified` but
// for the parent link, and what the parts imply: transaction hashes and types from the body, and
// that there are no receipts from an empty body or root.
Status check_block(ImportedBlock& block);

// kVouched: allowed for a block of a node whose chain is known to be the folder's.
enum class Gaps : std::uint8_t { kRefused, kAllowed, kVouched };

// `parent_in_store`: the hash of the block before, or nothing when the store has none of that
// number. Without a parent a block other than number 0 is a gap. For the first block of an empty
// store gaps are to be allowed, as for a store that was opened with them.
Status check_parent(ImportedBlock& block, const std::optional<Hash>& parent_in_store, Gaps gaps);

}  // namespace bloomery::ethlog
