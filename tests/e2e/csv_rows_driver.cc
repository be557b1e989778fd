// Reads many small CSV files from stdin and writes their rows and fields to stdout, for
// csv_beside_python.py. A file is its length (4 bytes), the size of the pieces it comes in, the
// separator, and its bytes. Its answer is the number of rows (4 bytes), then for each the kind of
// its fault (255: none), the number of fields, and each field's length and value.
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>

#include "apps/cli/records/csv.h"

namespace {

using namespace bloomery;

void put_number(std::size_t number, std::string& to) {
  const auto word = static_cast<std::uint32_t>(number);
  to.append(reinterpret_cast<const char*>(&word), sizeof word);
}

void answer_row(cli::CsvRow& row, ByteView bytes, std::string& to) {
  if (!row.split(bytes)) {
    to += static_cast<char>(row.fault().kind);
    put_number(0, to);
    return;
  }
  to += '\xff';
  put_number(row.fields().size(), to);
  for (const cli::CsvField& field : row.fields()) {
    std::vector<std::byte> value;
    row.append_value(field, value);
    put_number(value.size(), to);
    to += text_of(value);
  }
}

void answer_file(std::string_view text, std::size_t piece, std::byte separator, std::string& to) {
  const input::CsvDialect dialect{separator};
  input::RowSplitter splitter{dialect};
  std::vector<ByteView> rows;
  std::size_t begin = 0;
  std::size_t searched = 0;
  for (std::size_t end = 0; end < text.size();) {
    end = std::min(text.size(), end + piece);
    begin = splitter.split(bytes_of(text.substr(0, end)), begin, searched, rows);
  }
  if (begin < text.size()) rows.push_back(bytes_of(text.substr(begin)));
  if (!rows.empty() && text.starts_with(input::kByteOrderMark)) rows[0] = rows[0].subspan(3);
  put_number(rows.size(), to);
  cli::CsvRow row{dialect};
  for (const ByteView bytes : rows) answer_row(row, bytes, to);
}

}  // namespace

int main() {
  const std::string all{std::istreambuf_iterator<char>{std::cin}, {}};
  std::string answers;
  for (std::size_t at = 0; at + 6 <= all.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, all.data() + at, sizeof size);
    const auto piece = static_cast<unsigned char>(all[at + 4]);
    const auto separator = static_cast<std::byte>(all[at + 5]);
    if (piece == 0 || size > all.size() - at - 6) return 1;
    answer_file(std::string_view{all}.substr(at + 6, size), piece, separator, answers);
    at += 6 + size;
  }
  std::cout.write(answers.data(), static_cast<std::streamsize>(answers.size())).flush();
  return std::cout ? 0 : 1;
}
