// Moved to bloomery/filter/cuckoo/cuckoo.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/filter/cuckoo/cuckoo.h"  // IWYU pragma: export
