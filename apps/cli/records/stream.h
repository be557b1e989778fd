// All records of all files, in batches, for build, add, query and remove.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/records/keys.h"
#include "apps/cli/shell/progress.h"
#include "apps/input/column_records.h"
#include "apps/input/records.h"

namespace bloomery::cli {

using input::ColumnRecords;
using input::Compression;
using input::Input;
using input::RecordEnds;
using input::RecordReader;

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
  std::string_view file = {};  // for messages

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

struct InputFile {
  std::string path;
  std::optional<std::uint64_t> bytes;  // of a regular file; a pipe does not know
  input::InputOptions how = {};
};
Result<Input> open_input(const InputFile& file);
// By one thread: several take more of the file than what they have given.
Result<Input> open_to_sample(const InputFile& file);
// Precondition: file.how names a column.
Result<ColumnRecords> open_column(const InputFile& file);
// Nothing where one of them is a pipe.
std::optional<std::uint64_t> total_bytes(const std::vector<InputFile>& inputs);

// Looks at every file before the first is read, so that a missing one, or one that holds no
// records, ends the command before it did anything. A pipe that is named twice is refused: the
// second reading would find nothing. No path at all is stdin.
Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths,
                                           const input::InputOptions& how = {});
// The same, with the files that the options name in lists and folders.
Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths,
                                           const RecordOptions& options);
// An error where a regular file among the inputs is the file of this path too: it would be
// replaced.
Status refuse_as_output(const std::string& path, const std::vector<InputFile>& inputs);
// An error where the descriptor leads to a regular file that is one of these too: a copy of
// records to it would read its own output without end.
Status refuse_own_output(int descriptor, const std::vector<InputFile>& inputs);
// True where stdin is a terminal: then a command shows its short help.
bool would_read_terminal(const std::vector<std::string>& paths);

// "a.jsonl: record 2 (byte 7 of the record): ...", both counted from 1.
std::string at_record_byte(std::string_view file, std::uint64_t record, std::uint64_t byte,
                           std::string_view sentence);
// The same of an error that ends in the byte, " (byte 7)", as those of JSON do; without the byte of
// any other error.
Error at_record(const Error& error, std::string_view file, std::uint64_t record);

// Warns on stderr of a byte order mark in the first record, of lines that end in CR alone, and once
// of keys that keep the CR where all lines end in CR LF.
void notice_text_marks(const std::string& name, std::span<const ByteView> records,
                       const RecordOptions& options);

// Calls use(batch) until the records end or it fails or returns false. Errors name file and record;
// the records before one without a key are used first.
// The preamble of CSV files comes before the first batch, even where there is none.
using UseBatch = std::function<Result<bool>(const Batch&)>;
using UsePreamble = std::function<Status(const CsvPreamble&)>;
Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, KeyReader& keys,
                                    const Globals& globals, const UseBatch& use,
                                    const UsePreamble& use_preamble = {});

}  // namespace bloomery::cli
