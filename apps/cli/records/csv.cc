#include "apps/cli/records/csv.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "bloomery/base/message.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bloomery::cli {
namespace {

constexpr std::byte kDoubleQuote{'"'};
constexpr std::size_t kFieldStep = 64;

// Bit i is set where bytes[i] is the separator or a quote.
#if defined(__SSE2__)
std::uint64_t specials_in(const std::byte* bytes, std::byte separator, std::byte quote) {
  const __m128i separators = _mm_set1_epi8(static_cast<char>(separator));
  const __m128i quotes = _mm_set1_epi8(static_cast<char>(quote));
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kFieldStep; i += sizeof(__m128i)) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(part, separators), _mm_cmpeq_epi8(part, quotes));
    mask |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(found))} << i;
  }
  return mask;
}
#else
std::uint64_t specials_in(const std::byte* bytes, std::byte separator, std::byte quote) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kFieldStep; ++i)
    mask |= std::uint64_t{bytes[i] == separator || bytes[i] == quote ? 1U : 0U} << i;
  return mask;
}
#endif

}  // namespace

std::string fault_sentence(const CsvFault& fault) {
  switch (fault.kind) {
    case CsvFaultKind::kQuoteInside:
      return "a double quote stands inside a field that does not begin with one";
    case CsvFaultKind::kTextAfterQuote:
      return "text follows the quote that closes a field; a quote within a field is doubled";
    case CsvFaultKind::kUnclosedQuote:
      return "the quote that opens here is not closed before the end of the input";
    case CsvFaultKind::kColumns:
      break;
  }
  return message("the row has ", fault.columns, fault.columns == 1 ? " column" : " columns",
                 fault.by_header ? ", but the header has " : ", but the first row has ",
                 fault.expected);
}

bool CsvRow::fail(CsvFaultKind kind, std::size_t offset) {
  fault_ = {};
  fault_.kind = kind;
  fault_.offset = offset;
  return false;
}

void CsvRow::end_field(std::size_t end) {
  field_.end = end;
  ++columns_;
  if (fields_.size() < kMaxFields) fields_.push_back(field_);
  field_ = {end + 1, 0, false, false};
}

bool CsvRow::close(std::size_t place) {
  in_quotes_ = false;
  const std::size_t next = place + 1;
  if (next >= content_ || row_[next] == dialect_.separator) return true;
  return fail(CsvFaultKind::kTextAfterQuote, next);
}

bool CsvRow::take_special(std::size_t place) {
  if (in_quotes_) {
    if (place == skip_ || row_[place] != kDoubleQuote) return true;
    if (place + 1 == row_.size() || row_[place + 1] != kDoubleQuote) return close(place);
    field_.doubled = true;
    skip_ = place + 1;
    return true;
  }
  if (row_[place] == dialect_.separator) {
    end_field(place);
    return true;
  }
  if (place != field_.begin) return fail(CsvFaultKind::kQuoteInside, place);
  field_.quoted = in_quotes_ = true;
  return true;
}

bool CsvRow::split(ByteView row, const std::byte* readable) {
  row_ = row;
  content_ = row.size() - (!row.empty() && row.back() == std::byte{'\r'} ? 1 : 0);
  fields_.clear();
  columns_ = 0;
  field_ = {};
  skip_ = std::numeric_limits<std::size_t>::max();
  in_quotes_ = false;
  const std::byte quote = dialect_.quotes ? kDoubleQuote : dialect_.separator;
  for (std::size_t at = 0; at < row.size(); at += kFieldStep) {
    const std::size_t left = row.size() - at;
    std::uint64_t specials = 0;
    if (static_cast<std::size_t>(readable - (row.data() + at)) >= kFieldStep) {
      specials = specials_in(row.data() + at, dialect_.separator, quote);
    } else {
      std::byte rest[kFieldStep] = {};
      std::memcpy(rest, row.data() + at, left);  // left is less than a step
      specials = specials_in(rest, dialect_.separator, quote);
    }
    if (left < kFieldStep) specials &= (std::uint64_t{1} << left) - 1;
    for (; specials != 0; specials &= specials - 1)
      if (!take_special(at + static_cast<std::size_t>(std::countr_zero(specials)))) return false;
  }
  if (in_quotes_) return fail(CsvFaultKind::kUnclosedQuote, field_.begin);
  end_field(content_);
  return true;
}

void CsvRow::append_value(const CsvField& field, std::vector<std::byte>& to) const {
  ByteView rest = value(field);
  while (field.doubled) {
    const auto quote = std::ranges::find(rest, kDoubleQuote);
    if (quote == rest.end()) break;
    to.insert(to.end(), rest.begin(), quote + 1);
    rest = rest.subspan(static_cast<std::size_t>(quote - rest.begin()) + 2);
  }
  to.insert(to.end(), rest.begin(), rest.end());
}

void append_as_field(ByteView value, CsvDialect dialect, std::vector<std::byte>& to) {
  const auto is_special = [&](std::byte byte) {
    return byte == dialect.separator || byte == kDoubleQuote || byte == std::byte{'\n'} ||
           byte == std::byte{'\r'};
  };
  if (!dialect.quotes || std::ranges::none_of(value, is_special)) {
    to.insert(to.end(), value.begin(), value.end());
    return;
  }
  to.push_back(kDoubleQuote);
  for (const std::byte byte : value) {
    if (byte == kDoubleQuote) to.push_back(kDoubleQuote);
    to.push_back(byte);
  }
  to.push_back(kDoubleQuote);
}

}  // namespace bloomery::cli
