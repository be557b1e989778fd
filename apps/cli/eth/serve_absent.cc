// eth serve in a program that was built without the HTTP server.

#include "apps/cli/eth/command.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {

void attach_eth_serve(CommandLine& subcommand, Session& session) {
  subcommand.examples("This program was built without the HTTP server.\n");
  subcommand.accept_anything();
  subcommand.action([&session] {
    session.exit_code = complain(
        "this program was built without the HTTP server: build it where Boost is installed",
        kExitUsage);
  });
}

}  // namespace bloomery::cli
