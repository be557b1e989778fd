#include "apps/cli/fields.h"

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

void append_fields(ByteView record, std::byte separator, const std::vector<FieldRange>& fields,
                   std::vector<std::byte>& to) {
  auto at = record.begin();
  auto stop = std::find(at, record.end(), separator);
  if (stop == record.end()) {
    to.insert(to.end(), record.begin(), record.end());
    return;
  }
  bool appended = false;
  for (std::uint64_t number = 1;; ++number) {
    const bool chosen = std::ranges::any_of(
        fields, [&](FieldRange range) { return range.first <= number && number <= range.last; });
    if (chosen) {
      if (appended) to.push_back(separator);
      to.insert(to.end(), at, stop);
      appended = true;
    }
    if (stop == record.end()) return;
    at = stop + 1;
    stop = std::find(at, record.end(), separator);
  }
}

}  // namespace bloomery::cli
