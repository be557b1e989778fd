// Why standard output could not be written. A stream says only that it failed, and by the time a
// command has ended, errno is of something else.
#pragma once
#include <string>

namespace bloomery::cli {

// Once, at the start and after sync_with_stdio(): from then on the first failure of std::cout is
// remembered with its reason.
void remember_output_failure();

// The sentence for a std::cout that failed.
std::string output_failure();

}  // namespace bloomery::cli
