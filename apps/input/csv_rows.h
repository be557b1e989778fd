// Rows of CSV (RFC 4180) and of TSV: where each ends, with newlines inside quotes.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::input {

struct CsvDialect {
  std::byte separator{','};
  bool quotes = true;  // false: TSV, where a double quote is an ordinary character
  // A quote that is not closed would otherwise take the rest of any input into memory.
  std::size_t max_row_bytes = std::size_t{1} << 30;
};

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

// Finds the ends of the rows of one file, which comes in pieces. A double quote opens a quoted part
// at the start of a field only; elsewhere outside of quotes it is a character, and so is the text
// behind a closing quote. Such rows are malformed, but they end where others do.
class RowSplitter {
 public:
  explicit RowSplitter(CsvDialect dialect) : dialect_{dialect} {}

  // Appends the rows that end in bytes[searched, size), without the LF and with the CR before it;
  // the first of them began at `begin`. Stops behind about `most` rows (never more), or at the end,
  // and moves `searched` there. Returns where the row that has not ended begins.
  // Precondition: the bytes up to `searched` were searched by the calls before.
  std::size_t split(ByteView bytes, std::size_t begin, std::size_t& searched,
                    std::vector<ByteView>& rows,
                    std::size_t most = std::numeric_limits<std::size_t>::max());
  // Where the row that begins here ends: at its LF. Nothing where it has none.
  static std::optional<std::size_t> end_of_row(ByteView bytes, CsvDialect dialect);
  // Of the row that has not ended: whether a quote in it is open.
  bool is_quoted() const { return state_ == State::kQuoted; }

 private:
  // A byte order mark of UTF-8 may come first. kClosed: behind a quote that closed a field, unless
  // another one follows, which makes it a quote within the field.
  enum class State : std::uint8_t { kMark0, kMark1, kMark2, kFieldStart, kPlain, kQuoted, kClosed };

  State after(State state, std::byte byte) const;
  State in_mark(State state, std::byte byte) const;
  std::size_t split_steps(ByteView bytes, std::size_t begin, std::size_t& searched,
                          std::vector<ByteView>& rows, std::size_t most);
  std::size_t split_bytes(ByteView bytes, std::size_t begin, std::size_t& searched,
                          std::vector<ByteView>& rows, std::size_t stop);

  CsvDialect dialect_;
  State state_ = State::kMark0;
};

// Of a row that begins at this line and byte, counted from 1.
Error row_too_long(const CsvDialect& dialect, std::uint64_t line, std::uint64_t byte);

// How many rows a file has that comes in pieces.
class RowCounter {
 public:
  explicit RowCounter(CsvDialect dialect) : splitter_{dialect} {}
  void add(ByteView bytes);
  // Of all pieces so far; the last row may lack its LF.
  std::uint64_t rows() const { return rows_ + (ends_in_row_ ? 1 : 0); }
  std::uint64_t ended() const { return rows_; }

 private:
  RowSplitter splitter_;
  std::vector<ByteView> found_;
  std::uint64_t rows_ = 0;
  bool ends_in_row_ = false;
};

}  // namespace bloomery::input
