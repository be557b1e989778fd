// Moved to bloomery/filter/classic/double_hash.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/double_hash.h"  // IWYU pragma: export
