// Moved to bloomery/formats/leveldb/block.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/block.h"  // IWYU pragma: export
