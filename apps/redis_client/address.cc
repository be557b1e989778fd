#include "apps/redis_client/address.h"

#include <algorithm>
#include <optional>

#include "apps/redis_client/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::redis_client {
namespace {

struct Scheme {
  std::string_view text;
  bool is_encrypted = false;
  bool is_socket = false;  // its path is the server's, and its fragment the key
};

constexpr Scheme kSchemes[] = {
    {"redis://"}, {"rediss://", true}, {"unix://", false, true}, {"redis+unix://", false, true}};

const Scheme* scheme_of(std::string_view text) {
  const auto* scheme = std::ranges::find_if(
      kSchemes, [&](const Scheme& known) { return text.starts_with(known.text); });
  return scheme == std::end(kSchemes) ? nullptr : scheme;
}

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
      return invalid(
          "a percent sign must be followed by two hexadecimal digits; write %25 for the sign");
    decoded += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  return decoded;
}

constexpr std::uint32_t kMostShards = 16384;  // a slot for each
constexpr std::uint32_t kMostReplicas = 100;

Error no_option(std::string_view name) {
  return invalid(message("there is no option '", name,
                         "': the options are db, timeout, prefix, cluster, shards, wait and "
                         "replicas, and a question mark that belongs to the key is written %3F"));
}

// What an address consists of before anything in it is decoded.
struct Parts {
  std::string_view credentials, host, port, key, options;
};

Result<Parts> split_socket(std::string_view text) {
  Parts parts;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    return invalid("it names no socket; an address is unix:///path/of/redis.sock#key");
  parts.credentials = text.substr(0, slash);
  if (parts.credentials.ends_with('@')) {
    parts.credentials.remove_suffix(1);
  } else if (!parts.credentials.empty()) {
    return invalid("a socket has no host: the path follows the two slashes, as in unix:///run/...");
  }
  parts.host = text.substr(slash);
  if (const std::size_t mark = parts.host.find('#'); mark != std::string_view::npos) {
    parts.key = parts.host.substr(mark + 1);
    parts.host = parts.host.substr(0, mark);
  }
  if (const std::size_t mark = parts.host.find('?'); mark != std::string_view::npos) {
    parts.options = parts.host.substr(mark + 1);
    parts.host = parts.host.substr(0, mark);
    if (parts.options.empty()) return no_option("");
  }
  return parts;
}

Result<Parts> split(std::string_view text) {
  Parts parts;
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

Status set_shard_option(RedisAddress& address, std::string_view name, std::string_view value) {
  if (name == "shards") {
    std::uint32_t shards = 0;
    if (value != "auto" && (!parse_number(value, shards) || shards < 1 || shards > kMostShards))
      return invalid(message("?shards= takes auto, or a number from 1 to ", kMostShards));
    address.shards = shards;
  } else if (name == "wait") {
    if (!parse_number(value, address.wait_replicas) || address.wait_replicas > kMostReplicas)
      return invalid(message("?wait= takes a number of replicas, from 0 to ", kMostReplicas));
  } else if (name == "replicas") {
    if (value != "0" && value != "1") return invalid("?replicas= takes 1 or 0");
    address.reads_replicas = value == "1";
  } else {
    return no_option(name);
  }
  return ok();
}

// One filter over many keys lies in a cluster, whose keys have one database and names of their own.
Status check_shards(const RedisAddress& address) {
  if (!address.shards) {
    if (address.wait_replicas == 0 && !address.reads_replicas) return ok();
    return invalid("?wait= and ?replicas= go with ?shards=");
  }
  if (address.is_socket())
    return invalid("?shards= is for a cluster, which is reached by redis://");
  if (address.database != 0) return invalid("?shards= is for a cluster, which has database 0 only");
  if (address.key.find_first_of("{}") != std::string::npos)
    return invalid("the name of a filter with ?shards= has no braces: its keys are name:{tag}");
  return ok();
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
  } else if (name == "cluster") {
    if (*value != "0" && *value != "1") return invalid("?cluster= takes 1 or 0");
    address.is_cluster = *value == "1";
  } else {
    return set_shard_option(address, name, *value);
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
  if (address.key.empty())
    return invalid(address.is_socket()
                       ? "it names no key; an address is unix:///path/of/redis.sock#key"
                       : "it names no key; an address is redis://host:port/key");
  if (!parts.port.empty() && (!parse_number(parts.port, address.port) || address.port == 0))
    return invalid("the port is a number from 1 to 65535; a slash in a password is written %2F");
  if (auto set = set_credentials(address, parts.credentials); !set) return set.error();
  if (auto set = set_options(address, parts.options); !set) return set.error();
  if (auto fits = check_shards(address); !fits) return fits.error();
  return address;
}

// Schemes of the same kind that are not ours too: their passwords are passwords all the same.
bool may_have_password(std::string_view before_colon) {
  std::size_t begin = before_colon.size();
  while (begin > 0) {
    const char letter = before_colon[begin - 1];
    if (!(letter >= 'a' && letter <= 'z') && !(letter >= 'A' && letter <= 'Z') && letter != '+')
      break;
    --begin;
  }
  std::string scheme{before_colon.substr(begin)};
  for (char& letter : scheme)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return scheme == "unix" || scheme.find("redis") != std::string::npos ||
         scheme.find("valkey") != std::string::npos;
}

// How many letters after "://" are user, password and the sign @ behind them.
std::size_t credentials_length(std::string_view text) {
  const std::string_view server = text.substr(0, text.find('/'));
  if (const std::size_t at = server.rfind('@'); at != std::string_view::npos) return at + 1;
  text = text.substr(0, text.find_first_of(" \t\n\"'"));
  // "redis://user:pass/word@host/key": a slash that should have been written %2F.
  const std::size_t colon = server.find(':');
  std::uint16_t port = 0;
  const std::size_t at = text.rfind('@');
  const bool has_port = colon == std::string_view::npos || server.starts_with('[') ||
                        parse_number(server.substr(colon + 1), port);
  return has_port || at == std::string_view::npos ? 0 : at + 1;
}

// Calls use(begin, length) for the credentials of every address in the text.
template <class Use>
void for_each_credentials(std::string_view text, Use use) {
  constexpr std::string_view kColon = "://";
  for (std::size_t at = text.find(kColon); at != std::string_view::npos;
       at = text.find(kColon, at + kColon.size())) {
    const std::size_t begin = at + kColon.size();
    const std::size_t length = credentials_length(text.substr(begin));
    if (length != 0 && may_have_password(text.substr(0, at))) use(begin, length);
  }
}

}  // namespace

bool is_redis_address(std::string_view text) { return scheme_of(text) != nullptr; }

Result<RedisAddress> parse_redis_address(std::string_view text) {
  const Scheme* scheme = scheme_of(text);
  if (scheme == nullptr)
    return invalid(
        "an address in a server begins with redis://, rediss:// (TLS) or unix://, and is "
        "redis://host:port/key");
  text.remove_prefix(scheme->text.size());
  const auto parts = scheme->is_socket ? split_socket(text) : split(text);
  if (!parts) return parts.error();
  auto address = decoded(*parts);
  if (!address) return address;
  address->is_encrypted = scheme->is_encrypted;
  if (address->is_encrypted && address->is_socket())
    return invalid("rediss:// (TLS) is for hosts; a socket of this machine is unix:///path#key");
  return address;
}

std::string without_password(std::string_view text) {
  std::string shown;
  std::size_t done = 0;
  for_each_credentials(text, [&](std::size_t begin, std::size_t length) {
    if (begin < done) return;
    shown += text.substr(done, begin - done);
    done = begin + length;
  });
  return shown.append(text.substr(done));
}

void overwrite_passwords(std::span<char> text) {
  for_each_credentials({text.data(), text.size()}, [&](std::size_t begin, std::size_t length) {
    std::ranges::fill(text.subspan(begin, length - 1), '*');
  });
}

}  // namespace bloomery::redis_client
