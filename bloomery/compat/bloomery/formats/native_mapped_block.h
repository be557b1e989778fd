// Moved to bloomery/formats/native/mapped_block.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/native/mapped_block.h"  // IWYU pragma: export
