// Moved to bloomery/formats/redis/chunks.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/redis/chunks.h"  // IWYU pragma: export
