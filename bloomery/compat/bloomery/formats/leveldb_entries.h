// Moved to bloomery/formats/leveldb/entries.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/entries.h"  // IWYU pragma: export
