// Moved to bloomery/filter/classic/bit_array.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/bit_array.h"  // IWYU pragma: export
