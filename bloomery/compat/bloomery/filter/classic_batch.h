// Moved to bloomery/filter/classic/batch.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/batch.h"  // IWYU pragma: export
