#include "apps/redis_client/address.h"

#include <charconv>
#include <optional>

#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

constexpr std::string_view kScheme = "redis://";
constexpr std::string_view kEncryptedScheme = "rediss://";

Error invalid(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
    if (!low)
      return invalid("a percent sign is followed by two hexadecimal digits; itself it is %25");
    decoded += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  return decoded;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc{} && end == text.data() + text.size();
}

Error no_option(std::string_view name) {
  return invalid(message("there is no option '", name,
                         "': the options are db, timeout and prefix, and a question mark that "
                         "belongs to the key is written %3F"));
}

// What an address consists of before anything in it is decoded.
struct Parts {
  std::string_view credentials, host, port, key, options;
};

Result<Parts> split(std::string_view text) {
  Parts parts;
  text.remove_prefix(kScheme.size());
  const std::size_t slash = text.find('/');
  std::string_view server = text.substr(0, slash);
  if (slash != std::string_view::npos) parts.key = text.substr(slash + 1);
  if (const std::size_t mark = parts.key.find('?'); mark != std::string_view::npos) {
    parts.options = parts.key.substr(mark + 1);
    parts.key = parts.key.substr(0, mark);
    if (parts.options.empty()) return no_option("");
  }
  if (const std::size_t at = server.rfind('@'); at != std::string_view::npos) {
    parts.credentials = server.substr(0, at);
    server.remove_prefix(at + 1);
  }
  std::size_t host_end = server.find(':');
  if (server.starts_with('[')) {  // an IPv6 address has colons of its own
    const std::size_t bracket = server.find(']');
    if (bracket == std::string_view::npos)
      return invalid("the bracket before the host is not closed");
    parts.host = server.substr(1, bracket - 1);
    server.remove_prefix(bracket + 1);
    host_end = server.find(':');
    if (!server.empty() && host_end != 0)
      return invalid("only :port may follow the bracket of a host");
  } else {
    parts.host = server.substr(0, host_end);
  }
  if (host_end != std::string_view::npos) {
    parts.port = server.substr(host_end + 1);
    if (parts.port.empty()) return invalid("there is no port after the colon");
  }
  return parts;
}

Status set_option(RedisAddress& address, std::string_view option) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const auto value = percent_decoded(equals == std::string_view::npos ? std::string_view{}
                                                                      : option.substr(equals + 1));
  if (!value) return value.error();
  if (name == "db") {
    if (!parse_number(*value, address.database))
      return invalid("?db= takes the number of a database");
  } else if (name == "timeout") {
    std::uint32_t seconds = 0;
    if (!parse_number(*value, seconds) || seconds < 1 || seconds > 86400)
      return invalid("?timeout= takes seconds, from 1 to 86400");
    address.timeout = std::chrono::seconds{seconds};
  } else if (name == "prefix" && !value->empty()) {
    address.prefix = *value;
  } else {
    return no_option(name);
  }
  return ok();
}

Status set_options(RedisAddress& address, std::string_view options) {
  while (!options.empty()) {
    const std::size_t end = options.find('&');
    if (auto set = set_option(address, options.substr(0, end)); !set) return set;
    options = end == std::string_view::npos ? std::string_view{} : options.substr(end + 1);
  }
  return ok();
}

// As redis-cli reads it: one word alone is the password.
Status set_credentials(RedisAddress& address, std::string_view credentials) {
  const std::size_t colon = credentials.find(':');
  const bool names_user = colon != std::string_view::npos;
  const auto user = percent_decoded(names_user ? credentials.substr(0, colon) : std::string_view{});
  const auto password = percent_decoded(names_user ? credentials.substr(colon + 1) : credentials);
  if (!user) return user.error();
  if (!password) return password.error();
  address.user = *user;
  address.password = *password;
  return ok();
}

Result<RedisAddress> decoded(const Parts& parts) {
  RedisAddress address;
  const auto host = percent_decoded(parts.host);
  if (!host) return host.error();
  const auto key = percent_decoded(parts.key);
  if (!key) return key.error();
  address.host = *host;
  address.key = *key;
  if (address.host.empty()) return invalid("it names no host; an address is redis://host:port/key");
  if (address.host.find('\0') != std::string::npos) return invalid("the host has a zero byte");
  if (address.key.empty()) return invalid("it names no key; an address is redis://host:port/key");
  if (!parts.port.empty() && (!parse_number(parts.port, address.port) || address.port == 0))
    return invalid("the port is a number from 1 to 65535; a slash in a password is written %2F");
  if (auto set = set_credentials(address, parts.credentials); !set) return set.error();
  if (auto set = set_options(address, parts.options); !set) return set.error();
  return address;
}

}  // namespace

bool is_redis_address(std::string_view text) {
  return text.starts_with(kScheme) || text.starts_with(kEncryptedScheme);
}

Result<RedisAddress> parse_redis_address(std::string_view text) {
  if (text.starts_with(kEncryptedScheme))
    return invalid(
        "rediss:// (TLS) is not spoken here; let a tunnel such as stunnel carry it, and give the "
        "tunnel's address as redis://host:port/key");
  if (!text.starts_with(kScheme))
    return invalid("an address in a server begins with redis://, and is redis://host:port/key");
  const auto parts = split(text);
  if (!parts) return parts.error();
  return decoded(*parts);
}

std::string without_password(std::string_view text) {
  std::string shown;
  for (;;) {
    const std::size_t scheme = text.find("://");
    const std::size_t server = scheme == std::string_view::npos ? text.size() : scheme + 3;
    shown += text.substr(0, server);
    const std::string_view before = text.substr(0, server);
    text.remove_prefix(server);
    if (text.empty()) return shown;
    if (!before.ends_with(kScheme) && !before.ends_with(kEncryptedScheme)) continue;
    const std::size_t at = text.substr(0, text.find('/')).rfind('@');
    if (at != std::string_view::npos) text.remove_prefix(at + 1);
  }
}

}  // namespace bloomery::redis_client
