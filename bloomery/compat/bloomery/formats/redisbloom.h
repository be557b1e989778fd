// Moved to bloomery/formats/redis/redisbloom.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/redis/redisbloom.h"  // IWYU pragma: export
