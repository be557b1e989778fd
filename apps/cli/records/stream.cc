#include "apps/cli/records/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <deque>
#include <set>

#include "apps/cli/records/key_threads.h"
#include "apps/cli/shell/bus_error.h"
#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// One input at a time, and what is counted over all of them.
class Streaming {
 public:
  Streaming(KeyReader& keys, Progress& progress, const Globals& globals, const UseBatch& use,
            const UsePreamble& use_preamble)
      : options_{keys.options()},
        reader_{keys},
        keys_{keys, keys.options().csv || keys.keeps_parts() ? 1 : globals.threads},
        progress_{progress},
        globals_{globals},
        use_{use},
        use_preamble_{use_preamble} {
    if (options_.csv) files_.emplace(*options_.csv);
  }

  // False when `use` has had enough.
  Result<bool> run(Input& input) {
    RecordReader reader{input, options_.ends()};
    if (files_) files_->begin(input.name());
    file_ = input.name();
    std::uint64_t number = 1;
    for (;;) {
      auto next = reader.next();
      if (!next) return next.error();
      if (next->empty()) break;
      std::span<const ByteView> records = *next;
      if (files_) {
        if (auto looked = look(records, number); !looked) return looked.error();
      } else if (number == 1 && !globals_.quiet) {
        notice_text_marks(input.name(), records, options_);
      }
      const auto keys = keys_.keys(records);
      const auto place = [&](std::size_t record, std::size_t offset) -> RowPlace {
        const std::byte* const byte = records[record].data() + offset;
        return {number + record, reader.lines_before(byte) + 1, reader.bytes_before(byte) + 1};
      };
      if (keys) report_malformed(input.name(), place);
      const auto good = keys ? records : records.first(keys_.failed());
      const auto go_on = use({number, good, keys ? *keys : keys_.keys_before()});
      if (!go_on || !*go_on) return go_on;
      if (!keys && files_)
        return Error{keys.error().code, at_row(input.name(), place(keys_.failed(), failed_offset()),
                                               keys.error().message)};
      if (!keys) return at_record(keys.error(), input.name(), number + keys_.failed());
      number += records.size();
      progress_.update(records_, bytes_before_ + input.consumed_bytes());
    }
    bytes_before_ += input.consumed_bytes();
    return true;
  }
  // The same of a column; its nulls count as records without a key.
  Result<bool> run(ColumnRecords& column) {
    name_mapping(column.mapping(), column.name());
    file_ = column.name();
    std::uint64_t nulls = 0;
    for (;;) {
      const auto batch = column.next();
      if (!batch) return batch.error();
      records_ += column.nulls() - nulls;
      skipped_ += column.nulls() - nulls;
      nulls = column.nulls();
      if (batch->records.empty()) break;
      const auto go_on = take(column.name(), *batch);
      if (!go_on || !*go_on) return go_on;
      progress_.update(records_, bytes_before_ + column.consumed_bytes());
    }
    bytes_before_ += column.consumed_bytes();
    return true;
  }
  StreamTotals totals() const {
    StreamTotals totals{records_, skipped_, progress_.seconds()};
    if (files_) totals.malformed = malformed_.count();
    return totals;
  }

 private:
  Result<bool> take(const std::string& name, const input::ColumnBatch& batch) {
    const auto keys = keys_.keys(batch.records);
    const auto good = keys ? batch.records : batch.records.first(keys_.failed());
    const auto go_on = use({batch.first_number, good, keys ? *keys : keys_.keys_before(),
                            batch.places.first(std::min(batch.places.size(), good.size()))});
    if (!go_on || !*go_on || keys) return go_on;
    const std::size_t failed = keys_.failed();
    return at_record(keys.error(), name,
                     batch.first_number + (batch.places.empty() ? failed : batch.places[failed]));
  }

  // The header is row 1, and no record.
  Status look(std::span<const ByteView>& records, std::uint64_t& number) {
    const bool had_preamble = files_->preamble() != nullptr;
    const bool had_header = files_->header_was_taken();
    if (auto looked = files_->look(records, rows_); !looked) return looked;
    if (files_->header_was_taken() && !had_header) ++number;
    reader_.use_columns(files_->columns());
    if (had_preamble || files_->preamble() == nullptr || !use_preamble_) return ok();
    return use_preamble_(*files_->preamble());
  }

  template <class PlaceOf>
  void report_malformed(const std::string& name, const PlaceOf& place_of) {
    for (const KeyReader::Malformed& row : reader_.malformed())
      if (malformed_.names_the_next())
        malformed_.add(
            at_row(name, place_of(row.record, row.fault.offset), fault_sentence(row.fault)));
      else
        malformed_.add_unnamed(1);
  }
  std::size_t failed_offset() const {
    const auto malformed = reader_.malformed();
    return malformed.empty() || malformed.back().record != keys_.failed()
               ? 0
               : malformed.back().fault.offset;
  }

  Result<bool> use(Batch batch) {
    batch.file = file_;
    records_ += batch.records.size();
    if (keys_.has_key().empty()) {
      batch.parts = reader_.parts();
      return use_(batch);
    }
    kept_records_.clear();
    kept_keys_.clear();
    kept_parts_.clear();
    places_.clear();
    kept_rows_.clear();
    const bool keeps = files_ && files_->options().on_error == OnError::kKeep;
    for (std::size_t i = 0; i < batch.records.size(); ++i) {
      const std::size_t place = batch.places.empty() ? i : batch.places[i];
      if (keys_.has_key()[i] == 0) {
        if (keeps) kept_rows_.push_back({place, batch.records[i]});
        continue;
      }
      kept_records_.push_back(batch.records[i]);
      kept_keys_.push_back(batch.keys[i]);
      if (!reader_.parts().empty()) kept_parts_.push_back(reader_.parts()[i]);
      places_.push_back(place);
    }
    const std::uint64_t without = batch.records.size() - places_.size();
    if (files_)
      records_ -= without;
    else
      skipped_ += without;
    return use_(Batch{batch.first_number, kept_records_, kept_keys_, places_, kept_parts_,
                      kept_rows_, file_});
  }

  const RecordOptions& options_;
  KeyReader& reader_;  // its columns, parts and malformed rows, where it works alone
  KeyThreads keys_;
  Progress& progress_;
  const Globals& globals_;
  const UseBatch& use_;
  const UsePreamble& use_preamble_;
  std::optional<CsvFiles> files_;
  MalformedRows malformed_;
  std::string file_;
  std::uint64_t records_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t bytes_before_ = 0;
  std::vector<ByteView> rows_;
  std::vector<ByteView> kept_records_;
  std::vector<ByteView> kept_keys_;
  std::vector<ByteView> kept_parts_;
  std::vector<std::size_t> places_;
  std::vector<Batch::Kept> kept_rows_;
};

// Inputs in their order. With several threads, the first of them and those behind it are read and
// decompressed ahead, so that the result is that of one thread.
class InputQueue {
 public:
  InputQueue(const std::vector<InputFile>& inputs, std::uint32_t threads)
      : inputs_{inputs}, threads_{threads}, ahead_{threads > 1 ? threads : 0} {}

  // Nothing at the end.
  std::optional<Result<Input>> next() {
    if (opened_.empty()) open_next();
    if (opened_.empty()) return std::nullopt;
    Result<Input> input = std::move(opened_.front());
    opened_.pop_front();
    // This input, and those behind it: one for each thread.
    while (input && opened_.size() + 1 < ahead_ && may_open_early()) open_next();
    return input;
  }

 private:
  // Each: a file of this size and less is decompressed whole while the one before it is used.
  static constexpr std::size_t kAheadBytes = std::size_t{32} << 20;

  // A pipe is opened when its turn comes: another process may wait for that.
  bool may_open_early() const { return next_ < inputs_.size() && inputs_[next_].bytes; }

  void open_next() {
    if (next_ == inputs_.size()) return;
    InputFile file = inputs_[next_++];
    file.how.threads = threads_;
    opened_.push_back(open_input(file));
    if (ahead_ > 0 && opened_.back()) opened_.back()->read_ahead(kAheadBytes);
  }

  const std::vector<InputFile>& inputs_;
  std::uint32_t threads_;
  std::uint32_t ahead_;  // inputs that are read ahead at a time
  std::size_t next_ = 0;
  std::deque<Result<Input>> opened_;
};

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

// A CR that does not end the record.
bool has_inner_return(ByteView record) {
  const auto found = std::ranges::find(record, std::byte{'\r'});
  return found != record.end() && found + 1 != record.end();
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

std::string at_record_byte(std::string_view file, std::uint64_t record, std::uint64_t byte,
                           std::string_view sentence) {
  return message(file, ": record ", record, " (byte ", byte, " of the record): ", sentence);
}

Error at_record(const Error& error, std::string_view file, std::uint64_t record) {
  constexpr std::string_view kByte = " (byte ";
  const std::string_view text = error.message;
  const std::size_t place = text.rfind(kByte);
  const std::size_t digits = place == std::string_view::npos ? 0 : place + kByte.size();
  std::uint64_t byte = 0;
  const auto read = std::from_chars(text.data() + digits, text.data() + text.size(), byte);
  if (digits == 0 || read.ec != std::errc{} || read.ptr + 1 != text.data() + text.size())
    return input::at_place(error, file, "record", record);
  return {error.code, at_record_byte(file, record, byte, text.substr(0, place))};
}

void notice_text_marks(const std::string& name, std::span<const ByteView> records,
                       const RecordOptions& options) {
  // JSON and numbers do not mind; another delimiter says that records are no lines.
  if (options.json_key || options.delimiter != std::byte{'\n'}) return;
  if (!records.empty() && text_of(records.front()).starts_with("\xef\xbb\xbf"))
    warn(name,
         "it begins with a UTF-8 byte order mark, which is part of the first record; remove it "
         "with sed '1s/^\\xef\\xbb\\xbf//'");
  // Of lines that end in CR alone the first record is all of the file.
  if (records.size() == 1 && has_inner_return(records.front())) {
    warn(
        name,
        "its first record holds CR characters, and records end in LF; where lines end in CR alone, "
        "convert them: tr '\\r' '\\n'");
    return;
  }
  if (options.crlf) return;
  const bool all = std::ranges::all_of(
      records, [](ByteView record) { return !record.empty() && record.back() == std::byte{'\r'}; });
  static std::atomic_flag warned;
  if (all && !warned.test_and_set())
    warn(name, "its lines end in CR LF, and keys keep the CR; --crlf leaves it out");
}

Result<StreamTotals> for_each_batch(const std::vector<InputFile>& inputs, KeyReader& keys,
                                    const Globals& globals, const UseBatch& use,
                                    const UsePreamble& use_preamble) {
  Progress progress{globals, total_bytes(inputs)};
  Streaming streaming{keys, progress, globals, use, use_preamble};
  const bool reads_columns = !inputs.empty() && !inputs.front().how.column.empty();
  for (const InputFile& file : inputs) {
    if (!reads_columns) break;
    auto column = open_column(file);
    if (!column) return column.error();
    const auto go_on = streaming.run(*column);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  if (reads_columns) return streaming.totals();
  InputQueue queue{inputs, globals.threads};
  while (auto input = queue.next()) {
    if (!*input) return input->error();
    const auto go_on = streaming.run(**input);
    if (!go_on) return go_on.error();
    if (!*go_on) break;
  }
  return streaming.totals();
}

}  // namespace bloomery::cli
