// What our store keeps of a block beside geth's own records: what was checked, and what geth's
// encoding has no place for or takes from parts that we do not have.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Everything of the block that its header RLP, body RLP and storage receipts would not give back.
std::vector<std::byte> encode_note(const ImportedBlock& block);

// Puts a note into a block that was read from the other records. Of a block without header RLP the
// header itself is in the note; `block` then needs only what was read of body and receipts.
Status apply_note(ByteView note, ImportedBlock& block);

}  // namespace bloomery::ethlog
