// The result of a scan for people: a tree of the largest folders, and one line about the work.
#pragma once
#include <string>

#include "apps/tracker/scan/scan.h"

namespace bloomery::cli {

// On stdout: size, share, objects and last change of the largest folders.
void print_usage_tree(const tracker::ScanReport& report, std::size_t folders);
// "read 102 of 100,000 folders (0.102 %) in 0.04 s, the rest from the cache"
std::string scan_summary(const tracker::ScanReport& report, double seconds);

// A name as a terminal can bear it: control characters and bytes that are no UTF-8 as \n, \t, \x1b.
std::string shown_name(std::string_view name);

}  // namespace bloomery::cli
