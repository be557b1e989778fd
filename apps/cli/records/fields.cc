#include "apps/cli/records/fields.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t if_empty) {
  if (text.empty()) return if_empty;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

std::optional<FieldRange> parse_range(std::string_view text) {
  if (text.empty() || text == "-") return std::nullopt;
  const auto dash = text.find('-');
  const auto first = whole_number(text.substr(0, dash), 1);
  const auto last =
      dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1), kNoEnd);
  if (!first || !last || *first > *last) return std::nullopt;
  return FieldRange{*first, *last};
}

bool is_chosen(const std::vector<FieldRange>& fields, std::uint64_t number) {
  return std::ranges::any_of(
      fields, [=](FieldRange range) { return range.first <= number && number <= range.last; });
}

}  // namespace

Result<std::vector<FieldRange>> parse_fields(std::string_view list) {
  std::vector<FieldRange> fields;
  for (;;) {
    const auto comma = list.find(',');
    const auto range = parse_range(list.substr(0, comma));
    if (!range)
      return Error{
          ErrorCode::kInvalidArgument,
          message("'", list.substr(0, comma), "' is not a field such as 1, 3-5, -3 or 2-")};
    fields.push_back(*range);
    if (comma == std::string_view::npos) return fields;
    list.remove_prefix(comma + 1);
  }
}

std::uint64_t last_named(const std::vector<FieldRange>& fields) {
  std::uint64_t last = 0;
  for (const FieldRange range : fields)
    last = std::max(last, range.last == kNoEnd ? range.first : range.last);
  return last;
}

Result<std::uint64_t> append_fields(ByteView record, const FieldRules& rules,
                                    const std::vector<FieldRange>& fields,
                                    std::vector<std::byte>& to) {
  auto at = record.begin();
  bool appended = false;
  for (std::uint64_t number = 1;; ++number) {
    const auto stop = std::find(at, record.end(), rules.separator);
    if (rules.refuses_quotes && at != stop && *at == std::byte{'"'})
      return Error{ErrorCode::kInvalidArgument,
                   message("field ", number,
                           " begins with a double quote, and -f does not read quoted fields: "
                           "--csv does, --quotes plain takes quotes as ordinary characters (byte ",
                           at - record.begin() + 1, ")")};
    if (is_chosen(fields, number)) {
      if (appended) to.push_back(rules.separator);
      to.insert(to.end(), at, stop);
      appended = true;
    }
    if (stop == record.end()) return number;
    at = stop + 1;
  }
}

std::string name_of_byte(std::byte byte) {
  const auto value = std::to_integer<unsigned char>(byte);
  if (value == '\t') return "tab";
  if (value > ' ' && value < 0x7f) return message("'", static_cast<char>(value), "'");
  if (value == ' ') return "space";
  constexpr std::string_view kDigits = "0123456789abcdef";
  return message("byte 0x", kDigits[value >> 4U], kDigits[value & 15U]);
}

std::size_t place_in_record(ByteView record, std::byte separator,
                            const std::vector<FieldRange>& fields, std::size_t appended) {
  std::size_t begin = 0;
  std::size_t chosen_end = 0;
  for (std::uint64_t number = 1; begin <= record.size(); ++number) {
    const ByteView rest = record.subspan(begin);
    const auto length = static_cast<std::size_t>(std::ranges::find(rest, separator) - rest.begin());
    if (is_chosen(fields, number)) {
      if (appended <= length) return begin + appended;  // its separator included
      appended -= length + 1;
      chosen_end = begin + length;
    }
    begin += length + 1;
  }
  return chosen_end;
}

}  // namespace bloomery::cli
