#include "apps/cli/shell/secrets.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "apps/cli/shell/redis_client.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kHeader = "--header";
// Their values may be addresses of nodes, in which any part behind the host may be a key.
constexpr std::string_view kNodeOptions[] = {"--from-rpc", "--follow"};

void overwrite_value(std::span<char> header) {
  const auto colon = std::ranges::find(header, ':');
  if (colon != header.end()) std::fill(colon + 1, header.end(), '*');
}

void overwrite_node_address(std::span<char> value) {
  const std::string_view text{value.data(), value.size()};
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return;
  const std::size_t host = scheme + 3;
  const std::size_t end = std::min(text.find_first_of("/?#", host), text.size());
  std::fill(value.begin() + static_cast<std::ptrdiff_t>(end), value.end(), '*');
  const std::size_t at = text.substr(0, end).rfind('@');
  if (at != std::string_view::npos) std::ranges::fill(value.subspan(host, at - host), '*');
}

// The value of the option in this argument or, behind the bare name, in the next one.
template <class Overwrite>
void overwrite_option(std::string_view option, std::span<char> argument, char* next,
                      const Overwrite& overwrite) {
  const std::string_view text{argument.data(), argument.size()};
  if (text.starts_with(option) && text.substr(option.size()).starts_with('='))
    overwrite(argument.subspan(option.size() + 1));
  if (text == option && next != nullptr) overwrite({next, std::strlen(next)});
}

}  // namespace

std::string without_secrets(std::string_view text) {
  return without_web_secrets(without_password(text));
}

std::string name_without_secrets(std::string_view name) {
  return is_web_address(name) ? shown_web_address(name) : without_password(name);
}

void hide_secrets(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i) {
    const std::span<char> argument{arguments[i], std::strlen(arguments[i])};
    overwrite_passwords(argument);
    overwrite_web_secrets(argument);
    char* const next = i + 1 < argument_count ? arguments[i + 1] : nullptr;
    overwrite_option(kHeader, argument, next, overwrite_value);
    for (const std::string_view option : kNodeOptions)
      overwrite_option(option, argument, next, overwrite_node_address);
  }
}

}  // namespace bloomery::cli
