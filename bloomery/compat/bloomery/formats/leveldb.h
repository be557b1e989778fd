// Moved to bloomery/formats/leveldb/filter.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/filter.h"  // IWYU pragma: export
