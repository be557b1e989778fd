// Any bytes as CSV or TSV: rows are found alike in pieces of any size and add up to the input, and
// the fields of a row add up to the row. The first byte chooses the pieces and the dialect.
#include <cstdint>
#include <string>

#include "apps/cli/records/csv.h"
#include "apps/cli/records/csv_header.h"
#include "tests/fuzz/require.h"

namespace {

using namespace bloomery;
using fuzz::require;

std::vector<ByteView> rows_of(ByteView bytes, input::CsvDialect dialect, std::size_t piece,
                              std::size_t& begin) {
  input::RowSplitter splitter{dialect};
  std::vector<ByteView> rows;
  std::size_t searched = 0;
  begin = 0;
  for (std::size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + piece);
    begin = splitter.split(bytes.first(end), begin, searched, rows);
  }
  return rows;
}

bool same(ByteView one, ByteView other) {
  return one.data() == other.data() && one.size() == other.size();
}

void check_row(cli::CsvRow& row, ByteView bytes, const std::byte* readable,
               input::CsvDialect dialect) {
  if (!row.split(bytes, readable)) {
    require(row.fault().offset < bytes.size());
    require(!cli::fault_sentence(row.fault()).empty());
    return;
  }
  std::vector<std::byte> joined;
  for (const cli::CsvField& field : row.fields()) {
    if (&field != row.fields().data()) joined.push_back(dialect.separator);
    const ByteView written = row.written(field);
    joined.insert(joined.end(), written.begin(), written.end());
    // A value that is written again is read as the same.
    std::vector<std::byte> value;
    row.append_value(field, value);
    std::vector<std::byte> again;
    cli::append_as_field(value, dialect, again);
    if (!dialect.quotes) continue;
    again.push_back(dialect.separator);
    cli::CsvRow other{dialect};
    require(other.split(again) && other.columns() == 2);
    std::vector<std::byte> read;
    other.append_value(other.fields().front(), read);
    require(read == value);
  }
  const bool returns = !bytes.empty() && bytes.back() == std::byte{'\r'};
  require(text_of(joined) == text_of(bytes.first(bytes.size() - (returns ? 1 : 0))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  input::CsvDialect dialect;
  dialect.quotes = (data[0] & 1U) != 0;
  if ((data[0] & 2U) != 0) dialect.separator = std::byte{'\t'};
  const std::size_t piece = 1 + (data[0] >> 2U);
  const ByteView bytes{reinterpret_cast<const std::byte*>(data + 1), size - 1};
  std::size_t begin = 0;
  std::size_t other_begin = 0;
  auto rows = rows_of(bytes, dialect, bytes.size() + 1, begin);
  const auto in_pieces = rows_of(bytes, dialect, piece, other_begin);
  require(begin == other_begin && rows.size() == in_pieces.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require(same(rows[i], in_pieces[i]));
    require(rows[i].data() == bytes.data() + at);
    at += rows[i].size() + 1;
    require(bytes[at - 1] == std::byte{'\n'});
  }
  require(at == begin);
  if (begin < bytes.size()) rows.push_back(bytes.subspan(begin));
  input::RowCounter counter{dialect};
  counter.add(bytes);
  require(counter.rows() == rows.size());
  cli::CsvRow row{dialect};
  for (const ByteView one : rows) check_row(row, one, bytes.data() + bytes.size(), dialect);
  cli::CsvOptions options;
  options.dialect = dialect;
  options.has_header = (data[0] & 4U) != 0;
  cli::CsvFiles files{options};
  files.begin("fuzz");
  (void)files.look(rows);
  (void)cli::parse_columns(text_of(bytes));
  return 0;
}
