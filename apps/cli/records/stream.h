// All records of all files, in batches, for build, add, query and remove.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/records/inputs.h"
#include "apps/cli/records/record_messages.h"
#include "apps/cli/shell/progress.h"

namespace bloomery::cli {

struct Batch {
  std::uint64_t first_number;  // of the first record in its file, from 1
  std::span<const ByteView> records;
  std::span<const ByteView> keys;
  std::span<const std::size_t> places = {};  // behind the first; empty: one after the other
  std::span<const ByteView> parts = {};      // of the keys, with KeyReader::keep_parts
  // Malformed rows to print as they are, with --on-error keep: which of all, as in `places`.
  struct Kept {
    std::size_t place;
    ByteView row;
  };
  std::span<const Kept> kept = {};
  std::string_view file = {};                  // for messages
  std::span<const std::uint8_t> answers = {};  // of BatchSteps::answer

  std::uint64_t number(std::size_t i) const {
    return first_number + (places.empty() ? i : places[i]);
  }
};

struct StreamTotals {
  std::uint64_t records = 0;  // with those that were skipped
  std::uint64_t skipped = 0;  // without a key, with --missing skip: in no batch
  double seconds = 0;
  std::optional<std::uint64_t> malformed = {};  // rows of CSV, which are none of the records
};

using UseBatch = std::function<Result<bool>(const Batch&)>;
using UsePreamble = std::function<Status(const CsvPreamble&)>;
// One answer for each key. Many threads may ask at once.
using AnswerKeys = std::function<Status(std::span<const ByteView> keys, std::span<std::uint8_t>)>;

struct BatchSteps {
  UseBatch use;               // one batch at a time, in input order; by any thread
  UsePreamble preamble = {};  // of CSV: before the first batch, even where there is none
  AnswerKeys answer = {};     // fills Batch::answers; may be empty
};

// Calls use(batch) until the records end or it fails or returns false. Errors name file and record;
// the records before one without a key are used first.
Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, KeyReader& keys,
                                    const Globals& globals, const BatchSteps& steps);

}  // namespace bloomery::cli
