// The options --csv, --tsv, --no-header and --on-error.
#pragma once
#include <string>

#include "apps/cli/records/keys.h"

namespace bloomery::cli {

// Precondition: the other options of records are there.
void add_csv_options(CommandLine& app, RecordOptions& options);
// Whether --csv or --tsv is given; known once the command line is read.
bool reads_csv(const CommandLine& app);
// The list of -f.
Status store_columns(const std::string& list, RecordOptions& options);

}  // namespace bloomery::cli
