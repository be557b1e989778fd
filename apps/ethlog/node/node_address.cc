#include "apps/ethlog/node/node_address.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kMostAddressBytes = 8192;

struct Scheme {
  std::string_view name;
  bool secure;
  bool web_socket;
  std::uint16_t port;
};
constexpr Scheme kSchemes[] = {{"http://", false, false, 80},
                               {"https://", true, false, 443},
                               {"ws://", false, true, 80},
                               {"wss://", true, true, 443}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

const Scheme* scheme_of(std::string_view text) {
  for (const Scheme& scheme : kSchemes)
    if (text.size() >= scheme.name.size() &&
        std::ranges::equal(text.substr(0, scheme.name.size()), scheme.name,
                           [](char a, char b) { return lower(a) == b; }))
      return &scheme;
  return nullptr;
}

Error bad_address(std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          message("the address of a node should be http://HOST:PORT/PATH, or begin with https, ws "
                  "or wss: ",
                  why)};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || digit_of(text[i + 1]) < 0 || digit_of(text[i + 2]) < 0)
      return std::nullopt;
    out += static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
    i += 2;
  }
  return out;
}

bool is_host(std::string_view host, bool in_brackets) {
  if (host.empty() || host.size() > 253) return false;
  return std::ranges::all_of(host, [&](char c) {
    if (in_brackets) return digit_of(c) >= 0 || c == ':' || c == '.';
    return digit_of(c) >= 0 || (lower(c) >= 'a' && lower(c) <= 'z') || c == '.' || c == '-' ||
           c == '_';
  });
}

Status read_authority(std::string_view text, NodeAddress& address) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    auto credentials = percent_decoded(text.substr(0, at));
    if (!credentials) return bad_address("the user or the password has a % without two digits");
    address.credentials = std::move(*credentials);
    text.remove_prefix(at + 1);
  }
  const bool in_brackets = text.starts_with('[');
  const std::size_t end = in_brackets ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return bad_address("the host has no closing bracket");
  address.host = text.substr(in_brackets ? 1 : 0, in_brackets ? end - 1 : end);
  if (!is_host(address.host, in_brackets)) return bad_address("the name of the host is not one");
  std::string_view rest = text.substr(in_brackets ? end + 1 : end);
  if (rest.empty()) return ok();
  if (!rest.starts_with(':')) return bad_address("after the host only a port may come");
  rest.remove_prefix(1);
  const auto [stop, failed] = std::from_chars(rest.begin(), rest.end(), address.port);
  if (failed != std::errc{} || stop != rest.end() || address.port == 0)
    return bad_address("the port should be a number from 1 to 65535");
  return ok();
}

}  // namespace

std::string NodeAddress::authority() const {
  const bool usual = port == (secure ? 443 : 80);
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return usual ? name : message(name, ":", port);
}

std::string NodeAddress::shown() const {
  const std::string_view scheme = web_socket ? (secure ? "wss" : "ws") : secure ? "https" : "http";
  return message(scheme, "://", authority(), target == "/" ? "" : "/...");
}

bool is_node_address(std::string_view text) { return scheme_of(text) != nullptr; }

Result<NodeAddress> parse_node_address(std::string_view text) {
  const Scheme* scheme = scheme_of(text);
  if (scheme == nullptr) return bad_address("it has none of these schemes");
  if (text.size() > kMostAddressBytes)
    return bad_address(message("it is longer than ", kMostAddressBytes, " bytes"));
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c >= 0x7f; }))
    return bad_address("it has a space, a control character or one beyond ASCII; write it as %XX");
  NodeAddress address;
  address.secure = scheme->secure;
  address.web_socket = scheme->web_socket;
  address.port = scheme->port;
  text.remove_prefix(scheme->name.size());
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  if (const Status read = read_authority(text.substr(0, end), address); !read) return read.error();
  const std::string_view target = text.substr(end, text.substr(end).find('#'));
  if (target.starts_with('?')) address.target = "/" + std::string{target};
  if (target.starts_with('/')) address.target = target;
  return address;
}

}  // namespace bloomery::ethlog
