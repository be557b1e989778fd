// The address of a file on a web server or in an object store, and what of it may be shown: a
// signed address carries its credentials in the query.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/base/web_scheme.h"

namespace bloomery {

// Where requests go: credentials of one origin are never sent to another.
struct WebOrigin {
  bool is_encrypted = false;
  std::string host = {};  // lower case
  std::uint16_t port = 0;
  friend bool operator==(const WebOrigin&, const WebOrigin&) = default;
};

// Stricter than browsers are, so that no two readers of the address see two hosts in it: no space,
// backslash or control character, and one @ at most before the path. kInvalidArgument, in a
// sentence without the address.
Result<WebOrigin> parse_web_origin(std::string_view address);

// Scheme, host, port and path of an address: no user, password, query or fragment. Of one that
// parse_web_origin refuses, the scheme and "...": its parts are not clear.
std::string shown_web_address(std::string_view address);
// The same of every address in a text: for people, and for logs.
std::string without_web_secrets(std::string_view text);
// In place, by asterisks: for a process list.
void overwrite_web_secrets(std::span<char> text);

}  // namespace bloomery
