// Moved to bloomery/formats/leveldb/database.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/database.h"  // IWYU pragma: export
