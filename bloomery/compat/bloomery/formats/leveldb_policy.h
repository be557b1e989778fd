// Moved to bloomery/formats/leveldb/policy.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/policy.h"  // IWYU pragma: export
