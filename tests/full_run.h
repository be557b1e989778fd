// Some proofs take minutes. ./test --full asks for them through the environment.
#pragma once
#include <cstdlib>

namespace bloomery::testing {

inline bool full_run() { return std::getenv("BLOOMERY_FULL") != nullptr; }

}  // namespace bloomery::testing
