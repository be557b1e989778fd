// Fields of one row of CSV (RFC 4180) or TSV, and what makes a row malformed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/input/csv_rows.h"
#include "bloomery/base/bytes.h"

namespace bloomery::cli {

using input::CsvDialect;

enum class CsvFaultKind : std::uint8_t { kQuoteInside, kTextAfterQuote, kUnclosedQuote, kColumns };

struct CsvFault {
  CsvFaultKind kind = CsvFaultKind::kColumns;
  std::size_t offset = 0;      // in the row: of the byte that is at fault
  std::uint64_t columns = 0;   // of kColumns: how many the row has
  std::uint64_t expected = 0;  // and should have
  bool by_header = true;       // says so; else the first row
};

// "a double quote stands inside an unquoted field; ...".
std::string fault_sentence(const CsvFault& fault);

struct CsvField {
  std::size_t begin = 0;  // in the row, with the quotes
  std::size_t end = 0;
  bool quoted = false;
  bool doubled = false;  // it holds doubled quotes
};

// Splits rows into fields. Rows that lie in one buffer are searched in steps that may reach over
// the end of one into the next.
class CsvRow {
 public:
  explicit CsvRow(CsvDialect dialect) : dialect_{dialect} {}

  // The row without its LF; a CR at its end is no part of the last field. False where it is
  // malformed, and fault() says why. Precondition: the bytes from the row up to `readable` may be
  // read, which is not before the row's end.
  bool split(ByteView row, const std::byte* readable);
  bool split(ByteView row) { return split(row, row.data() + row.size()); }

  // At most kMaxFields of them, so that a row of separators takes no more memory than that.
  const std::vector<CsvField>& fields() const { return fields_; }
  static constexpr std::size_t kMaxFields = std::size_t{1} << 20;
  std::uint64_t columns() const { return columns_; }  // all of them
  const CsvFault& fault() const { return fault_; }
  // The field as it is written, with its quotes.
  ByteView written(const CsvField& field) const {
    return row_.subspan(field.begin, field.end - field.begin);
  }
  // Its value, where no doubled quotes are in it.
  ByteView value(const CsvField& field) const {
    return field.quoted ? row_.subspan(field.begin + 1, field.end - field.begin - 2)
                        : written(field);
  }
  // Its value in any case.
  void append_value(const CsvField& field, std::vector<std::byte>& to) const;

 private:
  bool take_special(std::size_t place);
  bool close(std::size_t place);
  void end_field(std::size_t end);
  bool fail(CsvFaultKind kind, std::size_t offset);

  CsvDialect dialect_;
  ByteView row_ = {};
  std::size_t content_ = 0;  // bytes of the row without the CR
  std::size_t skip_ = 0;     // the second of two quotes
  CsvField field_ = {};      // the one that has not ended
  bool in_quotes_ = false;
  std::vector<CsvField> fields_ = {};
  std::uint64_t columns_ = 0;
  CsvFault fault_ = {};
};

// The value as a field of a row: in quotes where it holds the separator, a double quote, a CR or a
// LF. Without quotes in the dialect, as it is.
void append_as_field(ByteView value, CsvDialect dialect, std::vector<std::byte>& to);

}  // namespace bloomery::cli
