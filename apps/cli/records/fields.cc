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
                           " begins with a double quote, and -f does not read quoted fields; "
                           "--quotes plain takes quotes as ordinary characters")};
    const bool chosen = std::ranges::any_of(
        fields, [&](FieldRange range) { return range.first <= number && number <= range.last; });
    if (chosen) {
      if (appended) to.push_back(rules.separator);
      to.insert(to.end(), at, stop);
      appended = true;
    }
    if (stop == record.end()) return number;
    at = stop + 1;
  }
}

}  // namespace bloomery::cli
