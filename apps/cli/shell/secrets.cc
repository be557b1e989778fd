#include "apps/cli/shell/secrets.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "apps/cli/shell/redis_client.h"
#include "bloomery/remote/address.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kHeader = "--header";

void overwrite_value(std::span<char> header) {
  const auto colon = std::ranges::find(header, ':');
  if (colon != header.end()) std::fill(colon + 1, header.end(), '*');
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
    const std::string_view text{argument.data(), argument.size()};
    overwrite_passwords(argument);
    overwrite_web_secrets(argument);
    if (text.starts_with(kHeader) && text.substr(kHeader.size()).starts_with('='))
      overwrite_value(argument.subspan(kHeader.size() + 1));
    if (text == kHeader && i + 1 < argument_count)
      overwrite_value({arguments[i + 1], std::strlen(arguments[i + 1])});
  }
}

}  // namespace bloomery::cli
