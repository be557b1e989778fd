// Moved to bloomery/filter/block/block.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/block/block.h"  // IWYU pragma: export
