// Insertion of records into a filter and the summary of it, for build and add.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/filters/summary.h"
#include "apps/cli/records/stream.h"
#include "apps/cli/shell/command.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {

struct Insertion {
  std::string path;  // of the filter
  const Format* format = nullptr;
  AnyFilter* filter = nullptr;
  // The filter as it was; nothing where it did not say itself which keys are new.
  std::optional<Description> before = Description{};
  std::optional<std::uint64_t> counted = {};  // records, when the files were looked at before
  bool strict = false;                        // a filter over its design is not saved
  std::optional<double> goal_rate = {};       // judges a filter that stores no goal
  bool force = true;                          // a key that appeared in a server is replaced
};

// The end of every such command: refuses what --strict forbids, saves and sums up.
void save_and_report(const Insertion& insertion, const Summary& summary, Session& session);

// Inserts every record, then save_and_report. Complains, and sets the session's exit code.
void insert_and_save(const Insertion& insertion, const std::vector<InputFile>& inputs,
                     const RecordOptions& records, Session& session);

// A filter that grows in layers meets the memory limit while it grows, not when it is planned.
Status within_memory(const AnyFilter& filter, const Globals& globals);
// With the measured rate of a foreign filter, whose bits may promise too low a rate.
Description described_after_work(const AnyFilter& filter, const Format& format);
bool over_design(const Description& filter);
// The last word: the summary on stderr, a warning where one is due, and JSON where it was asked
// for.
void report_insertion(const std::string& path, const Summary& summary,
                      const std::optional<Description>& before, const Globals& globals);

}  // namespace bloomery::cli
