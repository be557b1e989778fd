#include "apps/ethlog/node/node_options.h"

#include <algorithm>

#include "apps/ethlog/model/hex.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kShortestSecret = 6;  // what is shorter occurs in sentences
constexpr std::size_t kSecretBytes = 32;

bool is_token(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kOthers.find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_fixed(std::string_view name) {
  std::string lower{name};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  for (const char* fixed : {"host", "content-length", "transfer-encoding", "connection", "upgrade",
                            "content-type", "accept-encoding", "expect"})
    if (lower == fixed) return true;
  return lower.starts_with("sec-websocket");
}

}  // namespace

Result<NodeHeader> parse_node_header(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto refused = [](std::string_view why) {
    return Error{ErrorCode::kInvalidArgument, message("a header is 'Name: value': ", why)};
  };
  if (colon == std::string_view::npos || colon == 0) return refused("it has no name or no colon");
  const std::string_view name = text.substr(0, colon);
  const std::string_view value = trimmed(text.substr(colon + 1));
  if (!std::ranges::all_of(name, is_token))
    return refused("its name has a character none can have");
  if (std::ranges::any_of(value, [](char c) {
        return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f;
      }))
    return refused("its value has a control character");
  if (is_fixed(name))
    return refused(message("every request has its own ", name, "; leave the header out"));
  return NodeHeader{std::string{name}, std::string{value}};
}

Result<std::vector<std::byte>> read_jwt_secret(const std::filesystem::path& path) {
  const auto bytes = read_file(path, {.max_bytes = 4096});
  if (!bytes) return bytes.error();
  const std::string_view text =
      trimmed({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  auto secret =
      bytes_from_hex(text.starts_with("0x") ? std::string{text} : "0x" + std::string{text});
  if (!secret || secret->size() != kSecretBytes)
    return Error{ErrorCode::kInvalidArgument,
                 message(path.string(), ": a JWT secret should be 64 hexadecimal digits")};
  return std::move(*secret);
}

NodeSecrets::NodeSecrets(const NodeOptions& options) {
  const auto add = [&](std::string_view text) {
    if (text.size() >= kShortestSecret) secrets_.emplace_back(text);
  };
  const NodeAddress& address = options.address;
  add(address.target);
  std::string_view rest = address.target;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("/?&=#"), rest.size());
    add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  add(address.credentials);
  const std::size_t colon = std::min(address.credentials.find(':'), address.credentials.size());
  add(std::string_view{address.credentials}.substr(0, colon));
  if (colon < address.credentials.size())
    add(std::string_view{address.credentials}.substr(colon + 1));
  if (!address.credentials.empty())
    add(base64(std::as_bytes(std::span{address.credentials.data(), address.credentials.size()})));
  for (const NodeHeader& header : options.headers) {
    add(header.value);
    if (const std::size_t space = header.value.find(' '); space != std::string::npos)
      add(std::string_view{header.value}.substr(space + 1));
  }
  std::ranges::sort(secrets_, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string NodeSecrets::clean(std::string text) const {
  for (const std::string& secret : secrets_)
    for (std::size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + 3))
      text.replace(at, secret.size(), "...");
  return text;
}

}  // namespace bloomery::ethlog
