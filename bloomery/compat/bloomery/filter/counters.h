// Moved to bloomery/filter/classic/counters.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/counters.h"  // IWYU pragma: export
