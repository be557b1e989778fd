// Moved to bloomery/filter/classic/classic.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/classic.h"  // IWYU pragma: export
