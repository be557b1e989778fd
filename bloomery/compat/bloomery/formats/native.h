// Moved to bloomery/formats/native/native.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/native/native.h"  // IWYU pragma: export
