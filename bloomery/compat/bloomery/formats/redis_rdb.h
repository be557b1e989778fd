// Moved to bloomery/formats/redis/rdb.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/redis/rdb.h"  // IWYU pragma: export
