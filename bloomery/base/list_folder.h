// The names in a folder: all of them, or an error.
#pragma once
#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

// In no order, without "." and "..". kIo where the folder cannot be opened, or not read to its end.
// Without memory it throws std::bad_alloc, where std::filesystem's iterator ends the program.
Result<std::vector<std::string>> list_folder(const std::string& folder);

}  // namespace bloomery
