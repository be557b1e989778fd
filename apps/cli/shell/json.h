// The JSON values that commands print: the library's.
#pragma once
#include "bloomery/formats/json/value.h"

namespace bloomery::cli {

using bloomery::is_utf8;
using bloomery::Json;
using bloomery::or_null;

}  // namespace bloomery::cli
