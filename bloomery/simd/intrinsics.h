// The compiler's vector intrinsics. Included in one way everywhere, because GCC 12 takes the
// deliberately undefined registers of its own AVX-512 intrinsics for a mistake.
#pragma once
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
