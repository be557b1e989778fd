#include "apps/cli/shell/bus_error.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

#include "apps/cli/shell/exit_code.h"

namespace bloomery::cli {
namespace {

// Read by a signal handler: plain memory, written before the mapping is.
struct Named {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  std::array<char, 4096> path{};
};
Named named;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // there is no other place
}

// Only what may be called in a signal handler.
void end(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  say("bloomery: ");
  if (at >= named.begin && at < named.end) {
    say(named.path.data());
    say(": the file");
  } else {
    say("a file that the command has open");
  }
  say(" was truncated by another process, or its device failed, while it was read; its answers "
      "are incomplete\n");
  ::_exit(kExitBadFilter);
}

}  // namespace

void end_cleanly_on_bus_errors() {
  struct sigaction action {};
  action.sa_sigaction = end;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

void name_mapping(ByteView mapping, const std::string& path) {
  named = {};
  std::memcpy(named.path.data(), path.data(), std::min(path.size(), named.path.size() - 1));
  named.end = mapping.data() + mapping.size();
  named.begin = mapping.data();
}

}  // namespace bloomery::cli
