// What a scan found, as JSON: for --json, and for the file that other programs read.
#pragma once
#include <string>

#include "apps/tracker/scan.h"

namespace bloomery::cli {

struct ScanJsonOptions {
  std::size_t largest = 20;  // folders that are listed
  double seconds = 0;        // that the scan took
  bool all = false;          // every folder, and not only the largest
};

// One line. Bytes that are no UTF-8 appear as U+FFFD, and then "path_hex" has them all.
std::string scan_json(const tracker::ScanReport& report, const ScanJsonOptions& options);

}  // namespace bloomery::cli
