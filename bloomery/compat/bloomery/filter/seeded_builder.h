// Moved to bloomery/filter/seeded/builder.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/seeded/builder.h"  // IWYU pragma: export
