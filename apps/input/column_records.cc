#include "apps/input/column_records.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "apps/input/page_codecs.h"
#include "apps/input/spool.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/parquet/column_reader.h"

namespace bloomery::input {
namespace {

constexpr std::size_t kMostListed = 40;  // columns in a message
constexpr std::size_t kLongestNumber = 32;

std::string listed(const std::vector<ParquetColumn>& columns,
                   const std::vector<std::size_t>& which) {
  std::string list;
  for (std::size_t i = 0; i < which.size() && i < kMostListed; ++i)
    list += message(i == 0 ? "" : ", ", columns[which[i]].path);
  if (which.size() > kMostListed) list += message(" and ", which.size() - kMostListed, " more");
  return list;
}

Result<std::size_t> find_column(const ParquetTable& table, const InputOptions& options) {
  const auto found = find_parquet_columns(table.columns, options.column);
  if (found.size() == 1) return found[0];
  std::vector<std::size_t> all(table.columns.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (found.empty()) {
    std::vector<std::string> names;
    for (const ParquetColumn& column : table.columns) names.push_back(column.path);
    return Error{ErrorCode::kInvalidArgument,
                 message("it has no column '", options.column,
                         "'; its columns are: ", listed(table.columns, all),
                         options.suggest ? options.suggest(options.column, names) : "")};
  }
  const bool is_group = table.columns[found[0]].path != options.column;
  return Error{
      ErrorCode::kInvalidArgument,
      is_group ? message("'", options.column, "' is a group of several columns; choose one of: ",
                         listed(table.columns, found))
               : message("several columns have the path '", options.column, "'")};
}

// The file as it is, or a copy that can be mapped.
Result<MappedFile> map_input(const std::string& path, const InputOptions& options,
                             std::string& name) {
  InputOptions how = options;
  how.consumer += " --column NAME";
  auto input = Input::open(path, std::move(how));
  if (!input) return input.error();
  name = input->name();
  if (!input->file_bytes() || input->compression() != Compression::kNone) return spool(*input);
  if (path == "-")
    if (auto back = input->put_back(); !back) return back.error();
  return MappedFile::open(path == "-" ? "/dev/stdin" : path);
}

template <class Number>
char* write_number(char* to, Number number) {
  return std::to_chars(to, to + kLongestNumber, number).ptr;
}

char* write_value(char* to, const ParquetColumn& column, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  switch (column.type) {
    case ParquetType::kBoolean:
      return std::ranges::copy(value != 0 ? std::string_view{"true"} : "false", to).out;
    case ParquetType::kFloat:
      return write_number(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ParquetType::kDouble:
      return write_number(to, std::bit_cast<double>(bits));
    default:
      return column.is_unsigned ? write_number(to, bits) : write_number(to, value);
  }
}

}  // namespace

struct ColumnRecords::State {
  State(MappedFile mapped, std::string input_name)
      : file{std::move(mapped)}, name{std::move(input_name)} {}

  Error named(const Error& error) const { return {error.code, message(name, ": ", error.message)}; }

  Status open(const InputOptions& options) {
    auto read = read_parquet_table(file.bytes(), options.limits);
    if (!read) return not_readable(read.error());
    table = std::move(*read);
    const auto found = find_column(table, options);
    if (!found) return named(found.error());
    auto opened =
        ParquetColumnReader::open(file.bytes(), table, *found, decompress_page, options.limits);
    if (!opened) return named(opened.error());
    column = *found;
    reader.emplace(std::move(*opened));
    return ok();
  }

  Error not_readable(const Error& error) const {
    const bool is_other =
        error.code != ErrorCode::kUnsupported && !text_of(file.bytes()).starts_with("PAR1");
    const bool is_cut = error.code == ErrorCode::kMalformed && !is_other &&
                        !text_of(file.bytes()).ends_with("PAR1");
    if (is_cut)
      return {ErrorCode::kTruncated,
              message(name, ": the Parquet file is incomplete: it begins with PAR1, but does not ",
                      "end with it")};
    if (!is_other) return named(error);
    return {
        ErrorCode::kInvalidArgument,
        message(name, ": --column reads Parquet files, and this is none: a Parquet file begins ",
                "and ends with PAR1")};
  }

  void render(std::span<const std::int64_t> numbers) {
    text.resize(numbers.size() * kLongestNumber);
    records.resize(numbers.size());
    const ParquetColumn& type = reader->column();
    char* const begin = text.data();
    char* to = begin;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      char* const end = write_value(to, type, numbers[i]);
      records[i] = bytes_of(std::string_view{to, static_cast<std::size_t>(end - to)});
      to = end;
    }
  }

  MappedFile file;
  std::string name;
  ParquetTable table;
  std::size_t column = 0;
  std::optional<ParquetColumnReader> reader;
  std::vector<char> text;
  std::vector<ByteView> records;
};

ColumnRecords::ColumnRecords(std::unique_ptr<State> state) : state_{std::move(state)} {}
ColumnRecords::ColumnRecords(ColumnRecords&&) noexcept = default;
ColumnRecords& ColumnRecords::operator=(ColumnRecords&&) noexcept = default;
ColumnRecords::~ColumnRecords() = default;

Result<ColumnRecords> ColumnRecords::open(const std::string& path, const InputOptions& options) {
  std::string name;
  auto file = map_input(path, options, name);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file), std::move(name));
  if (auto opened = state->open(options); !opened) return opened.error();
  return ColumnRecords{std::move(state)};
}

Result<ColumnBatch> ColumnRecords::next() {
  ParquetValues values;
  const auto there = state_->reader->next(values);
  if (!there) return state_->named(there.error());
  if (!*there) return ColumnBatch{};
  ColumnBatch batch{values.bytes, values.first_place + 1, values.places};
  if (!state_->reader->column().is_number()) return batch;
  state_->render(values.numbers);
  batch.records = state_->records;
  return batch;
}

const std::string& ColumnRecords::name() const { return state_->name; }
std::uint64_t ColumnRecords::values() const { return state_->table.values(state_->column); }
std::uint64_t ColumnRecords::nulls() const { return state_->reader->nulls(); }
std::uint64_t ColumnRecords::consumed_bytes() const { return state_->reader->position(); }
ByteView ColumnRecords::mapping() const { return state_->file.bytes(); }

}  // namespace bloomery::input
