// Where a server listens.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::http {

struct Address {
  std::string host = "127.0.0.1";  // a literal, without brackets
  std::uint16_t port = 0;          // 0: any that is free
  friend bool operator==(const Address&, const Address&) = default;
};

// "127.0.0.1:8545", "[::1]:8545" or "localhost:8545". kInvalidArgument for anything else.
Result<Address> parse_address(std::string_view text);
std::string text_of(const Address& address);
bool is_loopback(const Address& address);
bool is_ip_literal(std::string_view host);  // without brackets

}  // namespace bloomery::http
