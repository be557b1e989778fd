#include "apps/cli/shell/globals.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>
#include <thread>

#include "apps/cli/shell/color.h"
#include "apps/cli/shell/number_options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kGlobalGroup = "Global options";
const std::map<std::string, When, std::less<>> kWhen{
    {"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};

template <class Use>
CLI::Option* add_when(CLI::App& app, const std::string& name, const char* help, Use use) {
  return app
      .add_option_function<std::string>(
          name,
          [name, use](const std::string& text) {
            const auto found = kWhen.find(text);
            if (found == kWhen.end())
              throw CLI::ValidationError(name,
                                         "it is auto, always or never, and not '" + text + "'");
            use(found->second);
          },
          help)
      ->type_name("auto|always|never")
      ->group(kGlobalGroup);
}

}  // namespace

std::uint64_t half_of_physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 2;
}

void add_global_options(CLI::App& app, Globals& globals) {
  app.add_option_function<std::uint32_t>(
         "-j,--threads",
         [&globals](std::uint32_t threads) {
           globals.threads =
               threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
         },
         "Threads that look keys up or make a seeded filter (0: all cores)")
      ->type_name("N")
      ->group(kGlobalGroup);
  add_count_option(app, "-m,--memory", globals.memory,
                   "Refuse a filter larger than this, before anything is allocated\n"
                   "(default: half of the physical memory)")
      ->type_name("SIZE")
      ->group(kGlobalGroup);
  app.add_flag("-q,--quiet", globals.quiet, "No plan, summary or warning")->group(kGlobalGroup);
  app.add_flag("--json", globals.json, "Write the result to stdout as JSON")->group(kGlobalGroup);
  add_when(app, "--progress", "Progress bar on stderr",
           [&](When when) { globals.progress = when; });
  add_when(app, "--color", "Colours on stderr (NO_COLOR is honoured)", choose_color);
  app.set_version_flag("--version", "bloomery " BLOOMERY_VERSION, "Print the version")
      ->group(kGlobalGroup);
  app.set_help_flag("-h,--help", "Print this help")->group(kGlobalGroup);
}

}  // namespace bloomery::cli
