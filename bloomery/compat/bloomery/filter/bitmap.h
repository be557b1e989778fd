// Moved to bloomery/filter/classic/bitmap.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/bitmap.h"  // IWYU pragma: export
