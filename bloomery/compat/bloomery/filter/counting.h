// Moved to bloomery/filter/classic/counting.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/counting.h"  // IWYU pragma: export
