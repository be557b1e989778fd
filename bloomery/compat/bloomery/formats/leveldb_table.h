// Moved to bloomery/formats/leveldb/table.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/table.h"  // IWYU pragma: export
