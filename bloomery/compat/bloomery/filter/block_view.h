// Moved to bloomery/filter/block/view.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/block/view.h"  // IWYU pragma: export
