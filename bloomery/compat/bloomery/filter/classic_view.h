// Moved to bloomery/filter/classic/view.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/view.h"  // IWYU pragma: export
