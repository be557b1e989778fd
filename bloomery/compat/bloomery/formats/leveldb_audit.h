// Moved to bloomery/formats/leveldb/audit.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/audit.h"  // IWYU pragma: export
