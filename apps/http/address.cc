#include "apps/http/address.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::http {
namespace {

constexpr std::string_view kLocalhost = "localhost";

Error invalid(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          message("'", text, "' is no address to listen on: ", why,
                  "; give 127.0.0.1:8545, [::1]:8545 or localhost:8545")};
}

// As the kernel spells it, so that equal addresses have equal text.
std::optional<std::string> literal(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> spelled{};
  const std::string terminated{text};
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(family, terminated.c_str(), bytes.data()) != 1) return std::nullopt;
  if (inet_ntop(family, bytes.data(), spelled.data(), spelled.size()) == nullptr)
    return std::nullopt;
  return std::string{spelled.data()};
}

bool is_v6(std::string_view host) { return host.find(':') != std::string_view::npos; }

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t host_end = bracketed ? text.find(']') : text.find(':');
  if (host_end == std::string_view::npos)
    return invalid(text, bracketed ? "its bracket is not closed" : "it has no port");
  const std::string_view rest = text.substr(host_end + (bracketed ? 1 : 0));
  if (!rest.starts_with(':')) return invalid(text, "it has no port");
  const std::string_view port_text = rest.substr(1);
  if (!bracketed && is_v6(port_text))
    return invalid(text, "an IPv6 address is written in brackets");

  Address address;
  const auto [end, trouble] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), address.port);
  if (trouble != std::errc{} || end != port_text.data() + port_text.size())
    return invalid(text, "a port is a number from 0 to 65535");

  const std::string_view host = bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
  if (!bracketed && host == kLocalhost) return address;
  auto spelled = literal(bracketed ? AF_INET6 : AF_INET, host);
  if (!spelled) return invalid(text, "its host is neither an IP address nor localhost");
  address.host = std::move(*spelled);
  return address;
}

std::string text_of(const Address& address) {
  const std::string port = std::to_string(address.port);
  if (is_v6(address.host)) return message("[", address.host, "]:", port);
  return message(address.host, ":", port);
}

bool is_loopback(const Address& address) {
  return address.host == kLocalhost || address.host == "::1" ||
         (address.host.starts_with("127.") && literal(AF_INET, address.host)) ||
         (address.host.starts_with("::ffff:127.") && literal(AF_INET6, address.host));
}

bool is_ip_literal(std::string_view host) {
  return literal(AF_INET, host).has_value() || literal(AF_INET6, host).has_value();
}

}  // namespace bloomery::http
