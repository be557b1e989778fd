// What a run of dedup was asked for, and the combinations that are refused.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/dedup/checkpoint.h"
#include "apps/cli/dedup/destination.h"
#include "apps/cli/dedup/seen_keys.h"

namespace bloomery::cli {

struct DedupOptions {
  std::vector<std::string> files;
  SeenKeysOptions seen;
  RecordOptions records;
  bool exact = false;
  bool repeats = false;
  bool count = false;
  bool mark = false;
  std::string mark_name;    // of JSON records: the member that takes the mark; empty: a prefix
  bool keep_last = false;   // of equal records, instead of the first
  bool count_each = false;  // print each record once, with how often it occurs
  bool explain = false;     // print the plan, and read a sample only
  DestinationOptions output;
  std::optional<CheckpointInterval> checkpoint;
  std::string dupes;                      // empty: repeats are dropped
  std::optional<std::uint64_t> stats_fd;  // a descriptor for the summary as JSON
  bool strict = false;

  // The input is read again: a filter of an earlier run cannot say which of its keys it had seen.
  bool reads_again() const { return exact || keep_last || count_each; }
};

// The option that makes dedup read its input again: "--exact".
std::string_view reading_option(const DedupOptions& options);
// --exact, --keep last or --count-each with a filter of an earlier run.
Error cannot_confirm(const DedupOptions& options);

// The inputs, and the filters, lists and secrets that are read besides.
std::vector<InputFile> files_read(const SeenKeysOptions& seen, const RecordOptions& records,
                                  const std::vector<InputFile>& inputs);
// Errors name the options that do not go together.
Status check_combinations(const DedupOptions& options);
Status check_output_options(const DedupOptions& options, const Globals& globals);
Status check_stats_fd(std::optional<std::uint64_t> descriptor);

// No file is written that is read, or written twice.
Status check_files(const DedupOptions& options, const std::vector<InputFile>& inputs);
// -d is the separator of cut, and an argument of one byte after it was meant as one.
Error with_separator_hint(const Error& error, const DedupOptions& options);

// The given options that decide about the output, to compare two runs: " --fields 2".
std::string given_options(const CommandLine& app);

}  // namespace bloomery::cli
