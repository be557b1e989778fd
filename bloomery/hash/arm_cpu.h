// What an aarch64 CPU can do beyond what every one of them can, asked at run time.
#pragma once
#if defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace bloomery::internal {

inline bool arm_has_aes() noexcept {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_AES) != 0;
#elif defined(__ARM_FEATURE_AES)
  return true;
#else
  return false;
#endif
}

}  // namespace bloomery::internal
#endif
