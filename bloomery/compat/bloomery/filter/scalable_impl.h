// Moved to bloomery/filter/classic/scalable_impl.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/classic/scalable_impl.h"  // IWYU pragma: export
