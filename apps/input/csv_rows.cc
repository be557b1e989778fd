#include "apps/input/csv_rows.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/message.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bloomery::input {
namespace {

constexpr std::byte kLineFeed{'\n'};
constexpr std::byte kQuote{'"'};

#if defined(__SSE2__)

constexpr std::size_t kRowStep = 64;

// Bit i is set where bytes[i] is the wanted one.
struct RowMasks {
  std::uint64_t quotes = 0;
  std::uint64_t separators = 0;
  std::uint64_t line_feeds = 0;
};

std::uint64_t equal_bits(__m128i part, __m128i wanted) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, wanted)));
}

RowMasks masks_of(const std::byte* bytes, __m128i separator) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i line_feed = _mm_set1_epi8('\n');
  RowMasks masks;
  for (std::size_t i = 0; i < kRowStep; i += sizeof(__m128i)) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    masks.quotes |= equal_bits(part, quote) << i;
    masks.separators |= equal_bits(part, separator) << i;
    masks.line_feeds |= equal_bits(part, line_feed) << i;
  }
  return masks;
}

// Bit i is the parity of the bits up to and with i.
std::uint64_t running_parity(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

#endif

}  // namespace

RowSplitter::State RowSplitter::in_mark(State state, std::byte byte) const {
  const auto matched = static_cast<std::size_t>(state);
  if (byte == static_cast<std::byte>(kByteOrderMark[matched]))
    return static_cast<State>(matched + 1);
  // What began like the mark is text.
  return after(state == State::kMark0 ? State::kFieldStart : State::kPlain, byte);
}

RowSplitter::State RowSplitter::after(State state, std::byte byte) const {
  if (state < State::kFieldStart) return in_mark(state, byte);
  if (state == State::kQuoted) return byte == kQuote ? State::kClosed : State::kQuoted;
  if (byte == dialect_.separator || byte == kLineFeed) return State::kFieldStart;
  if (byte == kQuote && dialect_.quotes && state != State::kPlain) return State::kQuoted;
  return State::kPlain;
}

std::size_t RowSplitter::split_bytes(ByteView bytes, std::size_t begin, std::size_t& searched,
                                     std::vector<ByteView>& rows, std::size_t stop) {
  for (; searched < stop; ++searched) {
    const std::byte byte = bytes[searched];
    const bool ends = byte == kLineFeed && state_ != State::kQuoted;
    state_ = after(state_, byte);
    if (!ends) continue;
    rows.push_back(bytes.subspan(begin, searched - begin));
    begin = searched + 1;
  }
  return begin;
}

#if defined(__SSE2__)

// Whole steps at once: a byte is quoted where the number of quotes up to it is odd, because a
// quote within a field is doubled. That holds as long as each quote that opens stands at the start
// of a field or behind another quote. A step where one does not is searched byte by byte.
std::size_t RowSplitter::split_steps(ByteView bytes, std::size_t begin, std::size_t& searched,
                                     std::vector<ByteView>& rows, std::size_t most) {
  const __m128i separator = _mm_set1_epi8(static_cast<char>(dialect_.separator));
  std::size_t count = rows.size();
  while (searched + kRowStep <= bytes.size() && count + kRowStep <= most) {
    RowMasks masks = masks_of(bytes.data() + searched, separator);
    if (!dialect_.quotes) masks.quotes = 0;
    const std::uint64_t was_quoted = state_ == State::kQuoted ? ~std::uint64_t{0} : 0;
    const std::uint64_t quoted = running_parity(masks.quotes) ^ was_quoted;
    const std::uint64_t may_open =
        (masks.separators | masks.line_feeds | masks.quotes) << 1 |
        (state_ == State::kFieldStart || state_ == State::kClosed ? 1U : 0U);
    if (state_ < State::kFieldStart || (masks.quotes & quoted & ~may_open) != 0) {
      rows.resize(count);
      begin = split_bytes(bytes, begin, searched, rows, searched + kRowStep);
      count = rows.size();
      continue;
    }
    if (count + kRowStep > rows.size()) rows.resize(count * 2 + kRowStep);
    for (std::uint64_t ends = masks.line_feeds & ~quoted; ends != 0; ends &= ends - 1) {
      const std::size_t end = searched + static_cast<std::size_t>(std::countr_zero(ends));
      rows[count++] = ByteView{bytes.data() + begin, end - begin};
      begin = end + 1;
    }
    constexpr std::uint64_t kLast = std::uint64_t{1} << (kRowStep - 1);
    state_ = (quoted & kLast) != 0                                  ? State::kQuoted
             : (masks.quotes & kLast) != 0                          ? State::kClosed
             : ((masks.separators | masks.line_feeds) & kLast) != 0 ? State::kFieldStart
                                                                    : State::kPlain;
    searched += kRowStep;
  }
  rows.resize(count);
  return begin;
}

#else

std::size_t RowSplitter::split_steps(ByteView, std::size_t begin, std::size_t&,
                                     std::vector<ByteView>&, std::size_t) {
  return begin;
}

#endif

std::size_t RowSplitter::split(ByteView bytes, std::size_t begin, std::size_t& searched,
                               std::vector<ByteView>& rows, std::size_t most) {
  begin = split_steps(bytes, begin, searched, rows, most);
  // As many bytes as the rows that may still come: none of them is shorter than its LF.
  const std::size_t room = most - std::min(most, rows.size());
  return split_bytes(bytes, begin, searched, rows,
                     searched + std::min(room, bytes.size() - searched));
}

std::optional<std::size_t> RowSplitter::end_of_row(ByteView bytes, CsvDialect dialect) {
  const auto line_end = std::ranges::find(bytes, kLineFeed);
  const auto line = static_cast<std::size_t>(line_end - bytes.begin());
  if (!dialect.quotes || std::find(bytes.begin(), line_end, kQuote) == line_end)
    return line_end == bytes.end() ? std::nullopt : std::optional{line};
  RowSplitter splitter{dialect};
  splitter.state_ = State::kFieldStart;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == kLineFeed && !splitter.is_quoted()) return i;
    splitter.state_ = splitter.after(splitter.state_, bytes[i]);
  }
  return std::nullopt;
}

Error row_too_long(const CsvDialect& dialect, std::uint64_t line, std::uint64_t byte) {
  return {ErrorCode::kInvalidArgument,
          message("the row that begins at line ", line, ", byte ", byte, " is longer than ",
                  dialect.max_row_bytes, " bytes; probably a quote in it is not closed")};
}

void RowCounter::add(ByteView bytes) {
  if (bytes.empty()) return;
  found_.clear();
  std::size_t searched = 0;
  const std::size_t begin = splitter_.split(bytes, 0, searched, found_);
  rows_ += found_.size();
  ends_in_row_ = begin != bytes.size();
}

}  // namespace bloomery::input
