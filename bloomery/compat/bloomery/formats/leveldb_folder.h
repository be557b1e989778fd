// Moved to bloomery/formats/leveldb/folder.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/leveldb/folder.h"  // IWYU pragma: export
