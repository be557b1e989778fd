// Moved to bloomery/filter/seeded/spill.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/seeded/spill.h"  // IWYU pragma: export
