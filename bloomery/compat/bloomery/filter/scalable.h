// Moved to bloomery/filter/classic/scalable.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/scalable.h"  // IWYU pragma: export
