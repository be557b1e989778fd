// Moved to bloomery/filter/block/concurrent.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/block/concurrent.h"  // IWYU pragma: export
