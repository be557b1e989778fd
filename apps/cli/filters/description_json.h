// The JSON of a description, as commands print it: the library's.
#pragma once
#include "bloomery/formats/json/description.h"

namespace bloomery::cli {

using bloomery::description_json;

}  // namespace bloomery::cli
