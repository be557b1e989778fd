#include "apps/cli/records/csv_header.h"

#include <algorithm>

#include "apps/cli/shell/exit_code.h"
#include "apps/cli/shell/near_miss.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

Error bad_list(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

std::optional<FieldRange> range_in(std::string_view text) {
  const auto ranges = parse_fields(text);
  if (!ranges || ranges->size() != 1) return std::nullopt;
  return ranges->front();
}

Result<ColumnChoice> choice_of(std::string text, bool quoted) {
  if (quoted) return ColumnChoice{std::move(text), true, std::nullopt};
  if (text.empty()) return bad_list("a column of the list has no name; write an empty one as \"\"");
  if (!text.starts_with('#')) {
    const auto range = range_in(text);
    return ColumnChoice{std::move(text), true, range};
  }
  const auto range = range_in(std::string_view{text}.substr(1));
  if (!range)
    return bad_list(message("'", text, "' is not a column such as #1 or #3-5; a name that begins ",
                            "with # is written in double quotes"));
  return ColumnChoice{std::move(text), false, range};
}

// A header of one column that holds another separator is one of another kind of file.
std::string advice(std::string_view name, const std::vector<std::string>& names) {
  if (names.size() == 1) {
    if (names[0].find('\t') != std::string::npos) return "; --tsv reads columns between tabs";
    for (const char other : {';', '|', ','})
      if (names[0].find(other) != std::string::npos)
        return message("; -t '", other, "' reads columns between these characters");
  }
  return suggestion(name, names);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    const char* const quote = names[i].find(',') == std::string::npos ? "" : "\"";
    list += message(i == 0 ? "" : ", ", quote, names[i], quote);
  }
  if (names.size() > kMostListed) list += message(" and ", names.size() - kMostListed, " more");
  return list;
}

std::string text_with_end(ByteView row, bool has_return) {
  return std::string{text_of(row)} + (has_return ? "\r\n" : "\n");
}

}  // namespace

Result<std::vector<ColumnChoice>> parse_columns(std::string_view list) {
  CsvRow row{CsvDialect{}};
  if (!row.split(bytes_of(list)))
    return bad_list(message("'", list, "': ", fault_sentence(row.fault())));
  std::vector<ColumnChoice> choices;
  for (const CsvField& field : row.fields()) {
    std::vector<std::byte> value;
    row.append_value(field, value);
    auto choice = choice_of(std::string{text_of(value)}, field.quoted);
    if (!choice) return choice.error();
    choices.push_back(std::move(*choice));
  }
  return choices;
}

Status check_separator(std::byte separator) {
  if (separator != std::byte{'"'} && separator != std::byte{'\n'} && separator != std::byte{'\r'})
    return ok();
  return bad_list("--separator: a double quote or the end of a line cannot separate fields of CSV");
}

input::RecordEnds row_ends(const CsvOptions& options) {
  return {options.dialect, options.has_header};
}

void CsvFiles::begin(std::string name) {
  file_ = std::move(name);
  at_start_ = true;
  has_mark_ = header_was_taken_ = false;
  names_.clear();
  columns_ = std::make_shared<CsvColumns>();
}

Error CsvFiles::named(std::string sentence) const {
  return {ErrorCode::kInvalidArgument, message(file_, ": ", sentence)};
}

Status CsvFiles::look(std::span<const ByteView>& rows, std::vector<ByteView>& copy) {
  if (!at_start_ && columns_->count != 0) return ok();
  copy.assign(rows.begin(), rows.end());
  auto looked = look(copy);
  rows = copy;
  return looked;
}

Status CsvFiles::look(std::vector<ByteView>& rows) {
  if (at_start_ && !rows.empty()) {
    at_start_ = false;
    ByteView& first = rows.front();
    has_mark_ = text_of(first).starts_with(input::kByteOrderMark);
    if (has_mark_) first = first.subspan(input::kByteOrderMark.size());
    if (auto ends = check_ends(first); !ends) return ends;
    if (options_.has_header) {
      const ByteView header = first;
      rows.erase(rows.begin());
      header_was_taken_ = true;
      return read_header(header);
    }
  }
  for (auto row = rows.begin(); row != rows.end() && columns_->count == 0; ++row) {
    if (!row_.split(*row)) continue;
    auto columns = choose();
    if (!columns) return columns.error();
    keep_preamble({}, *columns);
    columns_ = std::make_shared<CsvColumns>(std::move(*columns));
  }
  return ok();
}

Error CsvFiles::in_first_row(ByteView row, std::size_t offset, std::string_view sentence) const {
  const std::size_t mark = has_mark_ ? input::kByteOrderMark.size() : 0;
  const auto lines = std::ranges::count(row.first(offset), std::byte{'\n'});
  return {ErrorCode::kInvalidArgument,
          at_row(file_, {1, static_cast<std::uint64_t>(lines) + 1, offset + mark + 1}, sentence)};
}

// Of rows that end in CR alone the first one would be all of the file, and without a word a header.
Status CsvFiles::check_ends(ByteView row) {
  const bool is_good = row_.split(row);
  const CsvFault& fault = row_.fault();
  std::size_t behind = 0;  // of the fields
  const auto return_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    const ByteView part = row.subspan(begin, end - begin);
    const auto found = std::ranges::find(part, std::byte{'\r'});
    if (found == part.end()) return std::nullopt;
    return begin + static_cast<std::size_t>(found - part.begin());
  };
  std::optional<std::size_t> lone;
  for (const CsvField& field : row_.fields()) {
    if (!field.quoted) lone = return_in(field.begin, field.end);
    if (lone) break;
    behind = field.end + 1;
  }
  if (!lone && !is_good && fault.kind == CsvFaultKind::kQuoteInside)
    lone = return_in(behind, fault.offset);
  if (!lone && !is_good && fault.kind == CsvFaultKind::kTextAfterQuote)
    lone = return_in(fault.offset, fault.offset + 1);
  if (!lone) return ok();
  return in_first_row(row, *lone,
                      "a CR without LF follows, but rows end in LF or CR LF; where lines end in CR "
                      "alone, convert them: tr '\\r' '\\n'");
}

Status CsvFiles::read_header(ByteView row) {
  if (!row_.split(row))
    return in_first_row(row, row_.fault().offset,
                        "the header is malformed: " + fault_sentence(row_.fault()));
  if (row_.columns() > CsvRow::kMaxFields)
    return named(message("its header has ", row_.columns(), " columns, and at most ",
                         CsvRow::kMaxFields, " can be read"));
  for (const CsvField& field : row_.fields()) {
    std::vector<std::byte> value;
    row_.append_value(field, value);
    names_.emplace_back(text_of(value));
  }
  auto columns = choose();
  if (!columns) return columns.error();
  const bool is_first = preamble_ == nullptr;
  keep_preamble(row, *columns);
  columns_ = std::make_shared<CsvColumns>(std::move(*columns));
  return is_first ? ok() : compare_with_first();
}

void CsvFiles::keep_preamble(ByteView row, const CsvColumns& columns) {
  if (preamble_ != nullptr) return;
  first_file_ = file_;
  first_names_ = names_;
  CsvPreamble preamble;
  if (has_mark_) preamble.mark = input::kByteOrderMark;
  if (options_.has_header) {
    const bool has_return = !row.empty() && row.back() == std::byte{'\r'};
    if (has_return) row = row.first(row.size() - 1);
    preamble.header = text_with_end(row, has_return);
    std::vector<std::byte> chosen;
    for (const std::uint32_t column : columns.chosen) {
      if (column != columns.chosen.front()) chosen.push_back(options_.dialect.separator);
      const ByteView written = row_.written(row_.fields()[column]);
      chosen.insert(chosen.end(), written.begin(), written.end());
    }
    preamble.chosen = text_with_end(chosen, has_return);
  }
  preamble.names = names_;
  preamble_ = std::make_shared<CsvPreamble>(std::move(preamble));
}

Status check_new_column(const CsvPreamble& preamble, std::string_view name) {
  if (std::ranges::find(preamble.names, name) == preamble.names.end()) return ok();
  return Error{
      ErrorCode::kInvalidArgument,
      message("the header has a column '", name,
              "' already, and another one of this name would be put before it; rename it")};
}

Status CsvFiles::compare_with_first() {
  if (names_ == first_names_) return ok();
  if (options_.choices.empty() && options_.reads_keys)
    return named(message("its header differs from that of ", first_file_,
                         ", and without -f all columns are the key; name the columns with -f"));
  if (!options_.prints_rows) return ok();
  return named(message("its header differs from that of ", first_file_,
                       ", under which its rows would be printed; read such files one by one"));
}

Result<std::vector<std::uint32_t>> CsvFiles::places_of(const ColumnChoice& choice,
                                                       std::uint64_t count, bool& is_one) const {
  const auto found = std::ranges::find(names_, choice.text);
  if (choice.may_be_name && found != names_.end()) {
    const auto first = static_cast<std::uint32_t>(found - names_.begin());
    const auto again = std::find(found + 1, names_.end(), choice.text);
    if (again != names_.end())
      return named(message("two columns are called '", choice.text,
                           "'; choose one by its number: #", first + 1, " or #",
                           again - names_.begin() + 1));
    return std::vector<std::uint32_t>{first};
  }
  if (!choice.range)
    return named(options_.has_header
                     ? message("its header has no column '", choice.text,
                               "'; its columns are: ", listed(names_), advice(choice.text, names_))
                     : message("'", choice.text, "' is not a number such as 1 or 3-5, and with ",
                               "--no-header columns have no names"));
  const std::uint64_t needed = last_named({*choice.range});
  if (needed > count)
    return named(
        message("it has no column ", needed, ", only ", count,
                names_.empty() ? "" : message(", and none is called '", choice.text, "'")));
  is_one = choice.range->first == choice.range->last;
  std::vector<std::uint32_t> places;
  for (std::uint64_t i = choice.range->first; i <= std::min(choice.range->last, count); ++i)
    places.push_back(static_cast<std::uint32_t>(i - 1));
  return places;
}

Result<CsvColumns> CsvFiles::choose() const {
  CsvColumns columns;
  columns.count = row_.columns();
  bool is_one = true;
  const std::uint64_t known = std::min<std::uint64_t>(columns.count, CsvRow::kMaxFields);
  std::vector<bool> taken(static_cast<std::size_t>(known));
  const ColumnChoice all{"1-", false, range_in("1-")};
  for (const ColumnChoice& choice :
       options_.choices.empty() ? std::vector{all} : options_.choices) {
    const auto places = places_of(choice, known, is_one);
    if (!places) return places.error();
    for (const std::uint32_t place : *places)
      if (!taken[place]) {
        taken[place] = true;
        columns.chosen.push_back(place);
      }
  }
  columns.joined = options_.choices.size() != 1 || !is_one;
  return columns;
}

std::string at_row(std::string_view file, RowPlace place, std::string_view sentence) {
  return message(file, ": row ", place.row, " (line ", place.line, ", byte ", place.byte,
                 "): ", sentence);
}

void MalformedRows::add(const std::string& sentence) {
  if (++count_ > kNamed) return;
  warn("", sentence);
  if (count_ == kNamed) warn("", "further malformed rows are counted, not named");
}

}  // namespace bloomery::cli
