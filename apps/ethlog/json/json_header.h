// The header of a block as a node writes it in JSON. Sources only: it names the JSON library's
// types.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// The RLP as given, or made from the members: of every fork we know, of fewer forks, and with the
// members we do not know behind them. It is known where it gives the hash. Otherwise the members
// are kept as the source wrote them, and the header cannot be checked.
Status read_header(const nlohmann::json& json, ImportedBlock& block);

}  // namespace bloomery::ethlog
