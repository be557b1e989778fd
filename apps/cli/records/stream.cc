#include "apps/cli/records/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// One input at a time, and what is counted over all of them.
class Streaming {
 public:
  Streaming(KeyReader& keys, Progress& progress, const Globals& globals, const UseBatch& use)
      : keys_{keys}, progress_{progress}, globals_{globals}, use_{use} {}

  // False when `use` has had enough.
  Result<bool> run(Input& input) {
    RecordReader reader{input, keys_.options().delimiter};
    std::uint64_t number = 1;
    for (;;) {
      const auto records = reader.next();
      if (!records) return records.error();
      if (records->empty()) break;
      if (number == 1 && !globals_.quiet)
        notice_text_marks(input.name(), *records, keys_.options());
      const auto keys = keys_.keys(*records);
      const auto good = keys ? *records : records->first(keys_.failed());
      const auto go_on = use(number, good, keys ? *keys : keys_.keys_before());
      if (!go_on || !*go_on) return go_on;
      if (!keys)
        return input::at_place(keys.error(), input.name(), "record", number + keys_.failed());
      number += records->size();
      progress_.update(records_, bytes_before_ + input.consumed_bytes());
    }
    bytes_before_ += input.consumed_bytes();
    return true;
  }
  std::uint64_t records() const { return records_; }
  std::uint64_t skipped() const { return skipped_; }

 private:
  Result<bool> use(std::uint64_t number, std::span<const ByteView> records,
                   std::span<const ByteView> keys) {
    records_ += records.size();
    if (keys_.has_key().empty()) return use_(Batch{number, records, keys});
    kept_records_.clear();
    kept_keys_.clear();
    places_.clear();
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (keys_.has_key()[i] == 0) continue;
      kept_records_.push_back(records[i]);
      kept_keys_.push_back(keys[i]);
      places_.push_back(i);
    }
    skipped_ += records.size() - places_.size();
    return use_(Batch{number, kept_records_, kept_keys_, places_});
  }

  KeyReader& keys_;
  Progress& progress_;
  const Globals& globals_;
  const UseBatch& use_;
  std::uint64_t records_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t bytes_before_ = 0;
  std::vector<ByteView> kept_records_;
  std::vector<ByteView> kept_keys_;
  std::vector<std::size_t> places_;
};

const std::string& name_of(const std::string& path) {
  static const std::string kStdin = "standard input";
  return path == "-" ? kStdin : path;
}

// Whether it holds records. Damage is reported by the later read, which knows the record.
Status look_inside(const InputFile& file) {
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

std::optional<std::uint64_t> total_bytes(const std::vector<InputFile>& inputs) {
  std::uint64_t total = 0;
  for (const InputFile& input : inputs) {
    if (!input.bytes) return std::nullopt;
    total += *input.bytes;
  }
  return total;
}

Status refuse_as_output(const std::string& path, const std::vector<InputFile>& inputs) {
  struct stat out {};
  if (::stat(path.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return ok();
  return refuse_file(out, inputs, ErrorCode::kInvalidArgument);
}

Status refuse_own_output(int descriptor, const std::vector<InputFile>& inputs) {
  struct stat out {};
  if (::fstat(descriptor, &out) != 0 || !S_ISREG(out.st_mode)) return ok();
  return refuse_file(out, inputs, ErrorCode::kIo);
}

void notice_text_marks(const std::string& name, std::span<const ByteView> records,
                       const RecordOptions& options) {
  // JSON and numbers do not mind; another delimiter says that records are no lines.
  if (options.json_key || options.delimiter != std::byte{'\n'}) return;
  if (!records.empty() && text_of(records.front()).starts_with("\xef\xbb\xbf"))
    warn(name,
         "it begins with a UTF-8 byte order mark, which is part of the first record; remove it "
         "with sed '1s/^\\xef\\xbb\\xbf//'");
  if (options.crlf) return;
  const bool all = std::ranges::all_of(
      records, [](ByteView record) { return !record.empty() && record.back() == std::byte{'\r'}; });
  static std::atomic_flag told;
  if (all && !told.test_and_set())
    warn(name, "its lines end in CR LF, and keys keep the CR; --crlf leaves it out");
}

Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, KeyReader& keys,
                                    const Globals& globals, const UseBatch& use) {
  Progress progress{globals, total_bytes(inputs)};
  Streaming streaming{keys, progress, globals, use};
  for (const InputFile& file : inputs) {
    auto input = open_input(file);
    if (!input) return input.error();
    const auto go_on = streaming.run(*input);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  return StreamTotals{streaming.records(), streaming.skipped(), progress.seconds()};
}

}  // namespace bloomery::cli
