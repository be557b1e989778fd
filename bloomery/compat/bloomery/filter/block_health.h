// Moved to bloomery/filter/block/health.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/block/health.h"  // IWYU pragma: export
