// The address of an Ethereum node: http, https, ws or wss. Names of users, passwords, paths and
// queries often hold keys, so no message shows more than scheme, host and port.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

struct NodeAddress {
  bool secure = false;
  bool web_socket = false;
  std::string host;  // without brackets
  std::uint16_t port = 0;
  std::string target = "/";  // path and query
  std::string credentials;   // "user:password", decoded; empty: none

  std::string authority() const;  // as the Host header has it
  std::string shown() const;      // "https://host:8545/...", where the dots stand for the rest
  friend bool operator==(const NodeAddress&, const NodeAddress&) = default;
};

// Whether the text begins with one of the four schemes. Then it is no path.
bool is_node_address(std::string_view text);
// kInvalidArgument for anything else; the sentence repeats nothing of the text.
Result<NodeAddress> parse_node_address(std::string_view text);

}  // namespace bloomery::ethlog
