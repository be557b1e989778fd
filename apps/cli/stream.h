// Every record of every file, in batches: what build, add, query and remove have in common.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/cli/keys.h"
#include "apps/cli/progress.h"
#include "apps/input/records.h"

namespace bloomery::cli {

using input::Compression;
using input::Input;
using input::RecordReader;

struct Batch {
  std::uint64_t first_number;  // of the first record in its file, from 1
  std::span<const ByteView> records;
  std::span<const ByteView> keys;
};

struct StreamTotals {
  std::uint64_t records = 0;
  double seconds = 0;
};

struct InputFile {
  std::string path;
  std::optional<std::uint64_t> bytes;  // of a regular file; a pipe does not know
};

// Looks for every file before the first is read, so that a missing one ends the command before it
// did anything. No path at all is stdin.
Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths);
// True where nobody piped anything: then a command shows its short help.
bool would_read_terminal(const std::vector<std::string>& paths);

// Calls use(batch) until the records end or it fails or returns false. Errors name file and record.
using UseBatch = std::function<Result<bool>(const Batch&)>;
Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, std::byte delimiter,
                                    KeyReader& keys, const Globals& globals, const UseBatch& use);

}  // namespace bloomery::cli
