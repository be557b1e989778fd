// The reason why standard output could not be written: a stream reports only that it failed, and
// errno changes before the command ends.
#pragma once
#include <string>

namespace bloomery::cli {

// Once, at the start and after sync_with_stdio(): from then on the first failure of std::cout is
// remembered with its reason.
void remember_output_failure();

// The sentence for a std::cout that failed.
std::string output_failure();

}  // namespace bloomery::cli
