// The --json of `inspect`. Its members are a contract: scripts read them.
#pragma once

#include "apps/cli/shell/json.h"
#include "bloomery/formats/description.h"

namespace bloomery::cli {

Json description_json(const Description& description);

}  // namespace bloomery::cli
