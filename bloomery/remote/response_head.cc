#include "bloomery/remote/response_head.h"

#include <algorithm>
#include <charconv>

namespace bloomery::internal {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& letter : out)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return out;
}

// Digits only: no sign, no blank.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (value.size() < kUnit.size() || lower(value.substr(0, kUnit.size())) != kUnit)
    return std::nullopt;
  value = trimmed(value.substr(kUnit.size()));
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view range = value.substr(0, slash), total = value.substr(slash + 1);
  ContentRange found;
  if (total != "*") {
    found.total = number<std::uint64_t>(total);
    if (!found.total) return std::nullopt;
  }
  if (range == "*") return found.total ? std::optional{found} : std::nullopt;
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  found.first = number<std::uint64_t>(range.substr(0, dash));
  found.last = number<std::uint64_t>(range.substr(dash + 1));
  if (!found.first || !found.last || *found.first > *found.last) return std::nullopt;
  if (found.total && *found.last >= *found.total) return std::nullopt;
  return found;
}

void ResponseHead::add_line(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("HTTP/")) {
    *this = {};
    const std::size_t blank = line.find(' ');
    const auto read = blank == std::string_view::npos
                          ? std::nullopt
                          : number<std::uint32_t>(line.substr(blank + 1).substr(0, 3));
    if (read)
      status = *read;
    else
      is_broken = true;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  const auto keep = [&](std::string& field) {
    if (value.size() > kLongestValue || (!field.empty() && field != value))
      is_broken = true;
    else
      field = value;
  };
  if (name == "etag") keep(etag);
  if (name == "last-modified") keep(last_modified);
  if (name == "content-encoding") {
    keep(content_encoding);
    content_encoding = lower(content_encoding);
  }
  if (name == "content-length") {
    const auto read = number<std::uint64_t>(value);
    if (!read || (content_length && content_length != read)) is_broken = true;
    content_length = read;
  }
  if (name == "content-range") {
    if (content_range) is_broken = true;
    content_range = parse_content_range(value);
    if (!content_range) is_broken = true;
  }
}

}  // namespace bloomery::internal
