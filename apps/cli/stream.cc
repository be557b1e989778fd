#include "apps/cli/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::optional<std::uint64_t> total_bytes(const std::vector<InputFile>& inputs) {
  std::uint64_t total = 0;
  for (const InputFile& input : inputs) {
    if (!input.bytes) return std::nullopt;
    total += *input.bytes;
  }
  return total;
}

// One input at a time, and what is counted over all of them.
class Streaming {
 public:
  Streaming(std::byte delimiter, KeyReader& keys, Progress& progress, const UseBatch& use)
      : delimiter_{delimiter}, keys_{keys}, progress_{progress}, use_{use} {}

  // False when `use` has had enough.
  Result<bool> run(Input& input) {
    RecordReader reader{input, delimiter_};
    std::uint64_t number = 1;
    for (;;) {
      const auto records = reader.next();
      if (!records) return records.error();
      if (records->empty()) break;
      const auto keys = keys_.keys(*records);
      if (!keys)
        return Error{keys.error().code, message(input.name(), ": record ", number + keys_.failed(),
                                                ": ", keys.error().message)};
      records_ += records->size();
      const auto go_on = use_(Batch{number, *records, *keys});
      if (!go_on || !*go_on) return go_on;
      number += records->size();
      progress_.update(records_, bytes_before_ + input.consumed_bytes());
    }
    bytes_before_ += input.consumed_bytes();
    return true;
  }
  std::uint64_t records() const { return records_; }

 private:
  std::byte delimiter_;
  KeyReader& keys_;
  Progress& progress_;
  const UseBatch& use_;
  std::uint64_t records_ = 0;
  std::uint64_t bytes_before_ = 0;
};

}  // namespace

bool would_read_terminal(const std::vector<std::string>& paths) {
  return paths.empty() && ::isatty(STDIN_FILENO) == 1;
}

Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths) {
  std::vector<InputFile> inputs;
  for (const std::string& path : paths.empty() ? std::vector<std::string>{"-"} : paths) {
    struct stat info {};
    const bool is_stdin = path == "-";
    const int found = is_stdin ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
    if (found == 0 && S_ISDIR(info.st_mode)) errno = EISDIR;
    if (found != 0 || S_ISDIR(info.st_mode) || (!is_stdin && ::access(path.c_str(), R_OK) != 0))
      return Error{ErrorCode::kIo, message(is_stdin ? "standard input" : path,
                                           ": cannot read: ", std::strerror(errno))};
    inputs.push_back({path, std::nullopt});
    if (S_ISREG(info.st_mode)) inputs.back().bytes = static_cast<std::uint64_t>(info.st_size);
  }
  return inputs;
}

Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, std::byte delimiter,
                                    KeyReader& keys, const Globals& globals, const UseBatch& use) {
  Progress progress{globals, total_bytes(inputs)};
  Streaming streaming{delimiter, keys, progress, use};
  for (const InputFile& file : inputs) {
    auto input = Input::open(file.path);
    if (!input) return input.error();
    const auto go_on = streaming.run(*input);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  return StreamTotals{streaming.records(), progress.seconds()};
}

}  // namespace bloomery::cli
