// The columns of CSV files: chosen by name or number, looked up in the header of each file.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/records/csv.h"
#include "apps/cli/records/fields.h"
#include "apps/input/records.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// What becomes of a malformed row.
enum class OnError : std::uint8_t { kStop, kSkip, kKeep };

// One item of -f: a name, or a number or range of numbers. A name wins over a number.
struct ColumnChoice {
  std::string text;
  bool may_be_name = true;
  std::optional<FieldRange> range;  // none: it can only be a name
};

// "email,3-5", "#3" (a number in any case), "\"a,b\"" (a name in any case).
Result<std::vector<ColumnChoice>> parse_columns(std::string_view list);

struct CsvOptions {
  CsvDialect dialect;
  bool has_header = true;
  OnError on_error = OnError::kStop;
  std::vector<ColumnChoice> choices = {};  // empty: all columns
  bool prints_rows = false;                // of several files, under the header of the first
  bool reads_keys = true;                  // false: the rows only, and whether one is malformed
};
// A separator that no row could be read with.
Status check_separator(std::byte separator);
input::RecordEnds row_ends(const CsvOptions& options);

// The columns of one file.
struct CsvColumns {
  std::uint64_t count = 0;            // of every row; 0: not yet known
  std::vector<std::uint32_t> chosen;  // from 0, in the order of the list
  bool joined = true;                 // several fields make the key; else one column
};

// What is printed before the rows of all files: that of the first file.
struct CsvPreamble {
  std::string mark;    // its byte order mark, or nothing
  std::string header;  // its header with the end of the line, or nothing
  std::string chosen;  // of the header, the chosen columns
  std::vector<std::string> names = {};
};
// An error where a column of this name, which is to be put before the others, is there already.
Status check_new_column(const CsvPreamble& preamble, std::string_view name);

// Files one after the other.
class CsvFiles {
 public:
  explicit CsvFiles(CsvOptions options) : options_{std::move(options)}, row_{options_.dialect} {}

  // A new file begins.
  void begin(std::string name);
  // Its next rows. Takes the byte order mark off the first row, and the header out of the rows; the
  // columns of the file are known then, unless all of these rows are malformed. Errors name the
  // file.
  Status look(std::vector<ByteView>& rows);
  Status look(std::span<const ByteView>& rows, std::vector<ByteView>& copy);

  const std::shared_ptr<const CsvColumns>& columns() const { return columns_; }
  const std::shared_ptr<const CsvPreamble>& preamble() const { return preamble_; }  // may be null
  bool header_was_taken() const { return header_was_taken_; }  // from this file
  const CsvOptions& options() const { return options_; }

 private:
  Status check_ends(ByteView row);
  Status read_header(ByteView row);
  Error in_first_row(ByteView row, std::size_t offset, std::string_view sentence) const;
  Status compare_with_first();
  Result<CsvColumns> choose() const;
  Result<std::vector<std::uint32_t>> places_of(const ColumnChoice& choice, std::uint64_t count,
                                               bool& is_one) const;
  Error named(std::string sentence) const;
  void keep_preamble(ByteView row, const CsvColumns& columns);

  CsvOptions options_;
  CsvRow row_;
  std::string file_;
  bool at_start_ = true;
  bool has_mark_ = false;
  bool header_was_taken_ = false;
  std::vector<std::string> names_;  // of this file
  std::string first_file_;
  std::vector<std::string> first_names_;
  std::shared_ptr<const CsvColumns> columns_;
  std::shared_ptr<const CsvPreamble> preamble_;
};

// Where a row or a byte of it is, each counted from 1; a header is row 1.
struct RowPlace {
  std::uint64_t row;
  std::uint64_t line;
  std::uint64_t byte;
};
// "users.csv: row 3 (line 5, byte 62): ...".
std::string at_row(std::string_view file, RowPlace place, std::string_view sentence);

// The malformed rows that were left out or kept: the first are named on stderr, all are counted.
class MalformedRows {
 public:
  static constexpr std::uint64_t kNamed = 10;
  void add(const std::string& sentence);
  void add_unnamed(std::uint64_t rows) { count_ += rows; }
  bool names_the_next() const { return count_ < kNamed; }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace bloomery::cli
