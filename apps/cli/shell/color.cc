#include "apps/cli/shell/color.h"

#include <unistd.h>

#include <cstdlib>

namespace bloomery::cli {
namespace {

bool use_color = false;
bool use_color_on_stdout = false;

std::string painted(std::string_view code, std::string_view text, bool use = use_color) {
  if (!use) return std::string{text};
  return std::string{"\x1b["} + std::string{code} + "m" + std::string{text} + "\x1b[0m";
}

// no-color.org: any value but the empty one switches colours off.
bool forbidden() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

}  // namespace

void choose_color(When when) {
  const auto wanted = [when](int stream) {
    return when == When::kAlways || (when == When::kAuto && ::isatty(stream) == 1 && !forbidden());
  };
  use_color = wanted(STDERR_FILENO);
  use_color_on_stdout = wanted(STDOUT_FILENO);
}

std::string in_red(std::string_view text) { return painted("31", text); }
std::string in_yellow(std::string_view text) { return painted("33", text); }
std::string green_on_stdout(std::string_view text) {
  return painted("32", text, use_color_on_stdout);
}
std::string yellow_on_stdout(std::string_view text) {
  return painted("33", text, use_color_on_stdout);
}
std::string red_on_stdout(std::string_view text) {
  return painted("31", text, use_color_on_stdout);
}

}  // namespace bloomery::cli
