// Moved to bloomery/formats/native/header.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/native/header.h"  // IWYU pragma: export
