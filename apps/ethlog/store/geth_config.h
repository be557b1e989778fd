// What a geth node wrote down about its chain besides the chain itself.
#pragma once
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// 1, the main network, where the database does not say.
Result<std::uint64_t> geth_chain_id(const ChainReader& reader);

}  // namespace bloomery::ethlog
