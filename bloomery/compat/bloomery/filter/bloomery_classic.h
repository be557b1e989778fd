// Moved to bloomery/filter/classic/bloomery_classic.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/bloomery_classic.h"  // IWYU pragma: export
