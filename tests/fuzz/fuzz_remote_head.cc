// The address of a remote file, in the first line, and the head of a server's response behind it.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "bloomery/remote/address.h"
#include "bloomery/remote/response_head.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_address(std::string_view address) {
  using namespace bloomery;
  const std::string shown = shown_web_address(address);
  require(shown.find_first_of("?#", shown.find("://") + 1) == std::string::npos ||
          !is_web_address(address));
  const auto origin = parse_web_origin(address);
  if (origin) {
    require(is_web_address(address) && !origin->host.empty() && origin->port != 0);
    require(origin->host.find_first_of("@/\\ \r\n") == std::string::npos);
    const auto again = parse_web_origin(shown);
    require(again && *again == *origin);
    require(without_web_secrets(shown) == shown);
  }
  std::string overwritten{address};
  overwrite_web_secrets(overwritten);
  require(overwritten.size() == address.size());
  (void)without_web_secrets(address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery::internal;
  std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t first = std::min(text.find('\n'), text.size());
  check_address(text.substr(0, first));
  text.remove_prefix(first);
  ResponseHead head;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n', 1), text.size());
    head.add_line(text.substr(0, end));
    if (const auto range = parse_content_range(text.substr(0, end).substr(1))) {
      require(range->first.has_value() == range->last.has_value());
      require(!range->first || *range->first <= *range->last);
      require(!range->first || !range->total || *range->last < *range->total);
      require(range->first || range->total);
    }
    text.remove_prefix(end);
  }
  require(head.etag.size() <= ResponseHead::kLongestValue);
  return 0;
}
