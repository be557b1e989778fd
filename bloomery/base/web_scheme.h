// What tells a web address from the name of a file: the scheme http or https.
#pragma once
#include <cstddef>
#include <string_view>

namespace bloomery {

// The length of http:// or https:// at the start of a name, in either case; 0 where there is none.
constexpr std::size_t web_scheme_length(std::string_view name) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    std::size_t same = 0;
    while (same < scheme.size() && same < name.size() &&
           (name[same] >= 'A' && name[same] <= 'Z' ? name[same] - 'A' + 'a' : name[same]) ==
               scheme[same])
      ++same;
    if (same == scheme.size()) return same;
  }
  return 0;
}

// Everything else is another name: ./http://a is a file.
constexpr bool is_web_address(std::string_view name) { return web_scheme_length(name) > 0; }

}  // namespace bloomery
