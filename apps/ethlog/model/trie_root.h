// The root hash of the Merkle-Patricia trie that a header commits a list with: key rlp(index),
// value the encoding of the receipt, transaction or withdrawal.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// keccak(0x80): the root of a list without values.
const Hash& empty_trie_root();
Hash ordered_trie_root(std::span<const ByteView> values);

}  // namespace bloomery::ethlog
