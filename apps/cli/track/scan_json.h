// The result of a scan as JSON: for --json, and for the file that other programs read.
#pragma once
#include <string>

#include "apps/cli/shell/json.h"
#include "apps/tracker/scan/scan.h"

namespace bloomery::cli {

struct ScanJsonOptions {
  std::size_t largest = 20;  // folders that are listed
  double seconds = 0;        // that the scan took
  bool all = false;          // every folder, and not only the largest
};

// One line. Bytes that are no UTF-8 appear as U+FFFD, and then "path_hex" has them all.
std::string scan_json(const tracker::ScanReport& report, const ScanJsonOptions& options);

// proven, by, process, from, reason.
Json coverage_json(const tracker::Coverage& coverage);

// The root of a text of scan_json(), in digits where it is no UTF-8; empty where it is none.
std::string root_in(std::string_view text);
// The same of a file.
std::string root_in_usage(const std::filesystem::path& file);

}  // namespace bloomery::cli
