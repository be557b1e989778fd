// A description as JSON: the --json of `inspect`. Its members are a contract: scripts read them.
#pragma once

#include "bloomery/formats/description.h"
#include "bloomery/formats/json/value.h"

namespace bloomery {

Json description_json(const Description& description);

}  // namespace bloomery
