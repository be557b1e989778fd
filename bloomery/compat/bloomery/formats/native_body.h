// Moved to bloomery/formats/native/body.h in version 0.2; 0.3 removes this header.
#pragma once
#include "bloomery/formats/native/body.h"  // IWYU pragma: export
