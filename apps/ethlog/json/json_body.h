// The body of a block as a node writes it in JSON. Sources only: it names the JSON library's types.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Transactions, uncles and withdrawals into the block, whose header was read. The RLP of the body
// is made where the whole body is there and every transaction's bytes give its hash; otherwise
// only the hashes are known, and what the source said of the transactions is kept as it came.
Status read_body(const nlohmann::json& json, ImportedBlock& block);

}  // namespace bloomery::ethlog
