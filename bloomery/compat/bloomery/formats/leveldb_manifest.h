// Moved to bloomery/formats/leveldb/manifest.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/manifest.h"  // IWYU pragma: export
