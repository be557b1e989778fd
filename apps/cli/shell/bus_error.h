// Handling of a mapped file that another process truncates: an error message and exit code 3,
// instead of death by SIGBUS.
#pragma once
#include <string>

#include "bloomery/base/bytes.h"

namespace bloomery::cli {

// For main(), once. What is on its way to standard output is lost; the exit code says so.
void end_cleanly_on_bus_errors();

// The file that a mapping belongs to, for the sentence. The latest is kept, for as long as the
// command runs.
void name_mapping(ByteView mapping, const std::string& path);

}  // namespace bloomery::cli
