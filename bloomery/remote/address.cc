#include "bloomery/remote/address.h"

#include <algorithm>
#include <charconv>

#include "bloomery/base/error.h"

namespace bloomery {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool ends_address(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' || letter == '\'' || letter == '"' ||
         letter == '<' || letter == '>' || letter == 0x7f;
}

// What follows the scheme, up to the path.
std::string_view authority_of(std::string_view after_scheme) {
  return after_scheme.substr(0, after_scheme.find_first_of("/?#"));
}

bool parse_port(std::string_view text, std::uint16_t& port) {
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), port);
  return trouble == std::errc{} && end == text.data() + text.size() && port != 0;
}

// Calls secret(first, length) for each secret part of the address at the start of `address`.
template <class Use>
void for_each_secret(std::string_view address, Use secret) {
  const std::size_t start = web_scheme_length(address);
  const std::string_view authority = authority_of(address.substr(start));
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) secret(start, at + 1);
  const std::size_t query = address.find_first_of("?#", start);
  if (query != std::string_view::npos) secret(query, address.size() - query);
}

// An address whose parts are not clear, as where the password holds a slash, is a secret as a
// whole.
bool is_secret_as_a_whole(std::string_view address) {
  const std::size_t start = web_scheme_length(address);
  return start > 0 && address.size() > start && !parse_web_origin(address);
}

// The length of the address at the start of a text. A colon or a stop behind it is the sentence's.
std::size_t address_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && !ends_address(text[length])) ++length;
  while (length > 0 && std::string_view{":,;)"}.find(text[length - 1]) != std::string_view::npos)
    --length;
  return length;
}

}  // namespace

Result<WebOrigin> parse_web_origin(std::string_view address) {
  const std::size_t start = web_scheme_length(address);
  if (start == 0) return invalid_argument("a web address begins with http:// or https://");
  const auto is_forbidden = [](char letter) { return ends_address(letter) || letter == '\\'; };
  if (std::ranges::any_of(address, is_forbidden))
    return invalid_argument(
        "the web address holds a space, a quote, an angle bracket, a backslash or a control "
        "character; write it percent-encoded");
  std::string_view server = authority_of(address.substr(start));
  if (std::ranges::count(server, '@') > 1)
    return invalid_argument(
        "the web address holds two @ before its path; write the one of the password as %40");
  if (const std::size_t at = server.find('@'); at != std::string_view::npos)
    server.remove_prefix(at + 1);
  WebOrigin origin{.is_encrypted = start == std::string_view{"https://"}.size()};
  origin.port = origin.is_encrypted ? 443 : 80;
  const std::size_t bracket = server.starts_with('[') ? server.find(']') : 0;
  if (bracket == std::string_view::npos)
    return invalid_argument("the bracket before the host of the web address is not closed");
  const std::size_t colon = server.find(':', bracket);
  if (colon != std::string_view::npos && !parse_port(server.substr(colon + 1), origin.port))
    return invalid_argument("the port of the web address is not a number from 1 to 65535");
  for (const char letter : server.substr(0, colon)) origin.host += lower(letter);
  if (origin.host.empty()) return invalid_argument("the web address names no host");
  return origin;
}

std::string shown_web_address(std::string_view address) {
  if (is_secret_as_a_whole(address))
    return std::string{address.substr(0, web_scheme_length(address))} + "...";
  std::string shown;
  std::size_t from = 0;
  for_each_secret(address, [&](std::size_t first, std::size_t length) {
    shown += address.substr(from, first - from);
    from = first + length;
  });
  return shown += address.substr(from);
}

std::string without_web_secrets(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    if (!is_web_address(text)) {
      shown += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = address_length(text);
    shown += shown_web_address(text.substr(0, length));
    text.remove_prefix(length);
  }
  return shown;
}

void overwrite_web_secrets(std::span<char> text) {
  const std::string_view view{text.data(), text.size()};
  for (std::size_t i = 0; i < view.size(); ++i) {
    const std::string_view address = view.substr(i);
    if (!is_web_address(address)) continue;
    if (is_secret_as_a_whole(address)) {
      std::ranges::fill(text.subspan(i + web_scheme_length(address)), '*');
      return;
    }
    for_each_secret(address, [&](std::size_t first, std::size_t length) {
      std::ranges::fill(text.subspan(i + first, length), '*');
    });
    return;  // the rest belongs to this address
  }
}

}  // namespace bloomery
