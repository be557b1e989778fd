#include "apps/cli/shell/globals.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "apps/cli/shell/color.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

template <class Use>
void add_when(CommandLine& command, std::string_view name, std::string_view help, Use use) {
  const auto store = [use](const std::string& text) {
    use(text == "always" ? When::kAlways : text == "never" ? When::kNever : When::kAuto);
    return ok();
  };
  command.add_option(name, Option::Store{store}, help)
      ->choices({"auto", "always", "never"})
      ->group(kGlobalGroup);
}

}  // namespace

std::uint64_t half_of_physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 2;
}

void add_global_options(CommandLine& command, Globals& globals) {
  command
      .add_count(
          "-j,--threads", Callback<void(std::uint64_t)>{[&globals](std::uint64_t threads) {
            globals.threads = threads != 0 ? static_cast<std::uint32_t>(threads)
                                           : std::max(1U, std::thread::hardware_concurrency());
          }},
          std::numeric_limits<std::uint32_t>::max(),
          "Threads that decompress input, find keys in records, look them up or build a seeded "
          "filter; the result is the same with any number (0: all cores; default: 1)")
      ->group(kGlobalGroup);
  command
      .add_count("-m,--memory", globals.memory,
                 "Refuse a filter larger than this, before anything is allocated "
                 "(default: half of the physical memory)")
      ->value_name("SIZE")
      ->group(kGlobalGroup);
  command.add_flag("-q,--quiet", globals.quiet, "Print nothing on stderr but errors")
      ->group(kGlobalGroup);
  command.add_flag("--json", globals.json, "Write the result to stdout as JSON")
      ->group(kGlobalGroup);
  add_when(command, "--progress", "Show a progress bar on stderr (default: auto)",
           [&](When when) { globals.progress = when; });
  add_when(command, "--color", "Use colours on stderr (default: auto; NO_COLOR is honoured)",
           choose_color);
  static bool ignored = false;  // the parser acts on these two
  command.add_flag("--version", ignored, "Print the version")->group(kGlobalGroup);
  command.add_flag("-h,--help", ignored, "Print this help")->group(kGlobalGroup);
}

}  // namespace bloomery::cli
