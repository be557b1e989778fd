// Where the logs of eth logs go: to stdout, into a new file, or to the end of one that stays.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "apps/ethlog/output/tail_state.h"

namespace bloomery::cli {

class LogsOutput {
 public:
  virtual ~LogsOutput() = default;
  virtual Status write(std::string_view text) = 0;
  // All that was written is with its reader; of a file that stays, on the disk, and the state is
  // told where it ends.
  virtual Status settle(ethlog::TailState& state) = 0;
  virtual Status finish() = 0;  // of a new file: it gets its name
};

std::unique_ptr<LogsOutput> output_to_stdout();
// Absent until finish(), and after an error as before.
Result<std::unique_ptr<LogsOutput>> output_to_new_file(const std::string& path, bool force);
// Created or, with force, emptied; a file that is empty already is taken.
Result<std::unique_ptr<LogsOutput>> output_to_growing_file(const std::string& path, bool force);
// Cut where the state says it ends: what lies behind that was written and not yet remembered.
// Refused where the file before that is another one.
Result<std::unique_ptr<LogsOutput>> output_continued(const std::string& path,
                                                     const ethlog::TailState& state);

}  // namespace bloomery::cli
