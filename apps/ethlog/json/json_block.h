// One JSON value of a block or of a list of receipts to the model. Sources only: it names the JSON
// library's types.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// Too deep, broken, or a value: JSON from another program, whose nesting is checked before it is
// parsed.
Result<nlohmann::json> parse_json(std::string_view text);

// Precondition: an object. has_receipts says whether they were with it.
Result<ImportedBlock> block_from_json(const nlohmann::json& block);
// What a list of receipts adds to its block.
Status add_receipts(ImportedBlock& block, const nlohmann::json& receipts);

}  // namespace bloomery::ethlog
