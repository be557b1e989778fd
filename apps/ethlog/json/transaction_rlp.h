// A transaction as a node writes it in JSON, to the bytes that its hash is made of. Sources only:
// it names the JSON library's types.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// A legacy transaction's list, or type and list of the types 1 to 4 and of those that some other
// chains add (Optimism, Arbitrum, Celo). Nothing for other types, and where a member is missing or
// malformed. Whether the bytes are right is for the caller to see by their hash.
std::optional<std::vector<std::byte>> encode_transaction(const nlohmann::json& transaction);

// Whether its bytes must give its hash: it has a type of Ethereum's own, a signature, and no member
// that another chain may have hashed too.
bool must_give_its_hash(const nlohmann::json& transaction);

// Whether the members of that name are in the encoding of this transaction, or follow from it or
// from its place in its block.
bool is_encoded_member(const nlohmann::json& transaction, std::string_view name);

}  // namespace bloomery::ethlog
