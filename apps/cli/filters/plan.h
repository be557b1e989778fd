// How many keys a new filter is for, without --keys: estimated from the files before they are read.
#pragma once
#include <optional>

#include "apps/cli/filters/create_options.h"
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

struct RecordEstimate {
  std::uint64_t records = 0;
  bool exact = true;  // counted, not judged from a sample
};

// Of regular files; small ones are counted. Of large ones a sample is read and a margin added.
Result<RecordEstimate> estimate_records(const std::vector<InputFile>& inputs,
                                        const RecordEnds& ends);
// Reads everything once.
Result<RecordEstimate> count_records(const std::vector<InputFile>& inputs, const RecordEnds& ends);

inline constexpr double kDefaultRate = 0.01;

// Fills in what the user left open: rate, keys, and the layout that grows where the number of keys
// cannot be known. The sentence for the user says where the number of keys came from.
Result<std::string> complete_sizing(NewFilterOptions& options, std::vector<InputFile>& inputs,
                                    const RecordEnds& ends, double default_rate = kDefaultRate);

}  // namespace bloomery::cli
