// The group `eth` in a program that was built without the log search.

#include "apps/cli/shell/command.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {

void attach_eth(CommandLine& subcommand, Session& session) {
  subcommand.examples("This program was built without the search of Ethereum logs.\n");
  subcommand.accept_anything();
  subcommand.action([&session] {
    session.exit_code = complain(
        "this program was built without the search of Ethereum logs: build it where LevelDB and "
        "liblzma are installed",
        kExitUsage);
  });
}

}  // namespace bloomery::cli
