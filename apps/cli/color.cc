#include "apps/cli/color.h"

#include <unistd.h>

#include <cstdlib>

namespace bloomery::cli {
namespace {

bool use_color = false;

std::string painted(std::string_view code, std::string_view text) {
  if (!use_color) return std::string{text};
  return std::string{"\x1b["} + std::string{code} + "m" + std::string{text} + "\x1b[0m";
}

// no-color.org: any value but the empty one switches colours off.
bool forbidden() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

}  // namespace

void choose_color(When when) {
  use_color = when == When::kAlways ||
              (when == When::kAuto && ::isatty(STDERR_FILENO) == 1 && !forbidden());
}

std::string in_red(std::string_view text) { return painted("31", text); }
std::string in_yellow(std::string_view text) { return painted("33", text); }
std::string in_bold(std::string_view text) { return painted("1", text); }

}  // namespace bloomery::cli
