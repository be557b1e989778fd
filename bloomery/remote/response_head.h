// What the status line and the header fields of a response say, as far as reading a range needs it.
// Not for users.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::internal {

// "bytes 0-99/1234"; of a range that cannot be, "bytes */1234".
struct ContentRange {
  std::optional<std::uint64_t> first, last;  // both or neither; first <= last
  std::optional<std::uint64_t> total;        // unknown: "*"; greater than last
};
std::optional<ContentRange> parse_content_range(std::string_view value);

struct ResponseHead {
  static constexpr std::size_t kLongestValue = 1024;  // of a field that is kept

  std::uint32_t status = 0;
  std::optional<ContentRange> content_range = {};
  std::optional<std::uint64_t> content_length = {};
  std::string etag = {};
  std::string last_modified = {};
  std::string content_encoding = {};
  bool is_broken = false;  // a field of these cannot be read, or came twice with two values

  // One line, with or without its end. A status line begins anew: an interim response was before.
  void add_line(std::string_view line);
  bool is_encoded() const { return !content_encoding.empty() && content_encoding != "identity"; }
};

}  // namespace bloomery::internal
