// Moved to bloomery/filter/seeded/partitions.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/seeded/partitions.h"  // IWYU pragma: export
