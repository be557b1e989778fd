// The files that a command reads: looked at before the first is read, and opened.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/records/keys.h"
#include "apps/input/column_records.h"
#include "apps/input/records.h"

namespace bloomery::cli {

using input::ColumnRecords;
using input::Compression;
using input::Input;
using input::RecordEnds;
using input::RecordReader;

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

}  // namespace bloomery::cli
