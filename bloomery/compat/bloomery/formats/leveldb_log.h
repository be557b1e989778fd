// Moved to bloomery/formats/leveldb/log.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/log.h"  // IWYU pragma: export
