#include "apps/cli/globals.h"

#include <unistd.h>

#include <map>
#include <thread>

#include "apps/cli/number_options.h"

namespace bloomery::cli {
namespace {

const std::map<std::string, When> kWhen{
    {"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};

void add_when(CLI::App& app, const char* name, When& when, const char* help) {
  app.add_option(name, when, help)
      ->transform(CLI::Transformer(kWhen, CLI::ignore_case).description(""))
      ->type_name("auto|always|never")
      ->group("Global options");
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
         "Threads that look keys up (0: all cores)")
      ->type_name("N")
      ->group("Global options");
  add_count_option(app, "-m,--memory", globals.memory,
                   "Refuse a filter larger than this, before anything is allocated\n"
                   "(default: half of the physical memory)")
      ->type_name("SIZE")
      ->group("Global options");
  app.add_flag("-q,--quiet", globals.quiet, "No plan, summary or warning")->group("Global options");
  app.add_flag("--json", globals.json, "Write the result to stdout as JSON")
      ->group("Global options");
  add_when(app, "--progress", globals.progress, "Progress bar on stderr");
  add_when(app, "--color", globals.color, "Colours on stderr (NO_COLOR is honoured)");
  app.set_version_flag("--version", "bloomery " BLOOMERY_VERSION, "Print the version")
      ->group("Global options");
  app.set_help_flag("-h,--help", "Print this help")->group("Global options");
}

}  // namespace bloomery::cli
