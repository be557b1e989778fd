// The --json of `inspect`. Its members are a contract: scripts read them.
#pragma once
#include <nlohmann/json.hpp>

#include "bloomery/formats/description.h"

namespace bloomery::cli {

nlohmann::ordered_json description_json(const Description& description);

}  // namespace bloomery::cli
