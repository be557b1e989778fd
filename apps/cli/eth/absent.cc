// The group `eth` in a program that was built without the log search.
#include <CLI/CLI.hpp>

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/help.h"

namespace bloomery::cli {

void attach_eth(CLI::App& subcommand, Session& session) {
  set_examples(subcommand, "This program was built without the search of Ethereum logs.\n");
  subcommand.allow_extras();
  subcommand.callback([&session] {
    session.exit_code = complain(
        "this program was built without the search of Ethereum logs: build it where LevelDB and "
        "liblzma are installed",
        kExitUsage);
  });
}

}  // namespace bloomery::cli
