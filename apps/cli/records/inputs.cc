#include "apps/cli/records/inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

const std::string& name_of(const std::string& path) {
  static const std::string kStdin = "standard input";
  return path == "-" ? kStdin : path;
}

// Whether it holds records. Damage is reported by the later read, which knows the record.
Status look_inside(const InputFile& file) {
  if (!file.how.column.empty()) {
    const auto column = open_column(file);
    return column ? ok() : Status{column.error()};
  }
  auto opened = open_input(file);
  if (!opened) return opened.error();
  const auto first = opened->peek(1);
  if (!first && first.error().code == ErrorCode::kInvalidArgument) return first.error();
  return file.path == "-" ? opened->put_back() : ok();
}

Error cannot_read(const std::string& path, int error, const input::InputOptions& how) {
  std::string sentence = message(name_of(path), ": cannot read: ", std::strerror(error));
  // `query FILTER bob`: the words after a filter are files of keys, not keys.
  if (error == ENOENT && how.consumer.ends_with(" FILTER"))
    sentence += message("; keys are read from files or standard input: echo KEY | ", how.consumer);
  return {ErrorCode::kIo, std::move(sentence)};
}

// An error where this file is one of the inputs.
Status refuse_file(const struct stat& file, const std::vector<InputFile>& inputs, ErrorCode code) {
  for (const InputFile& input : inputs) {
    struct stat in {};
    const int found =
        input.path == "-" ? ::fstat(STDIN_FILENO, &in) : ::stat(input.path.c_str(), &in);
    if (found == 0 && in.st_dev == file.st_dev && in.st_ino == file.st_ino)
      return Error{code, message(name_of(input.path), ": input file is output file")};
  }
  return ok();
}

}  // namespace

bool would_read_terminal(const std::vector<std::string>& paths) {
  return paths.empty() && ::isatty(STDIN_FILENO) == 1;
}

Result<Input> open_input(const InputFile& file) { return Input::open(file.path, file.how); }
Result<Input> open_to_sample(const InputFile& file) {
  input::InputOptions how = file.how;
  how.threads = 1;
  return Input::open(file.path, std::move(how));
}
Result<ColumnRecords> open_column(const InputFile& file) {
  return ColumnRecords::open(file.path, file.how);
}

Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths,
                                           const input::InputOptions& how) {
  std::vector<InputFile> inputs;
  std::set<std::pair<dev_t, ino_t>> pipes;
  for (const std::string& path : paths.empty() ? std::vector<std::string>{"-"} : paths) {
    struct stat info {};
    const bool is_stdin = path == "-";
    const int found = is_stdin ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
    if (found == 0 && S_ISDIR(info.st_mode)) errno = EISDIR;
    if (found != 0 || S_ISDIR(info.st_mode) || (!is_stdin && ::access(path.c_str(), R_OK) != 0))
      return cannot_read(path, errno, how);
    const bool once = is_stdin || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode);
    if (once && !pipes.emplace(info.st_dev, info.st_ino).second)
      return Error{ErrorCode::kInvalidArgument,
                   message(name_of(path), ": it is given twice, but can be read only once")};
    inputs.push_back({path, std::nullopt, how});
    if (!S_ISREG(info.st_mode)) continue;
    inputs.back().bytes = static_cast<std::uint64_t>(info.st_size);
    if (auto looked = look_inside(inputs.back()); !looked) return looked.error();
  }
  return inputs;
}

Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& paths,
                                           const RecordOptions& options) {
  const auto sources =
      find_sources(paths, options.sources, options.delimiter == std::byte{0} ? '\0' : '\n');
  if (!sources) return sources.error();
  return find_inputs(*sources, options.input);
}

std::optional<std::uint64_t> total_bytes(const std::vector<InputFile>& inputs) {
  std::uint64_t total = 0;
  for (const InputFile& input : inputs) {
    if (!input.bytes) return std::nullopt;
    total += *input.bytes;
  }
  return total;
}

Status refuse_as_output(const std::string& path, const std::vector<InputFile>& inputs) {
  if (path == "-") return refuse_own_output(STDOUT_FILENO, inputs);
  struct stat out {};
  if (::stat(path.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return ok();
  return refuse_file(out, inputs, ErrorCode::kInvalidArgument);
}

Status refuse_own_output(int descriptor, const std::vector<InputFile>& inputs) {
  struct stat out {};
  if (::fstat(descriptor, &out) != 0 || !S_ISREG(out.st_mode)) return ok();
  return refuse_file(out, inputs, ErrorCode::kIo);
}

}  // namespace bloomery::cli
