// eth serve in a program that was built without the HTTP server.
#include <CLI/CLI.hpp>

#include "apps/cli/eth/command.h"
#include "apps/cli/shell/help.h"

namespace bloomery::cli {

void attach_eth_serve(CLI::App& subcommand, Session& session) {
  set_examples(subcommand, "This program was built without the HTTP server.\n");
  subcommand.allow_extras();
  subcommand.callback([&session] {
    session.exit_code = complain(
        "this program was built without the HTTP server: build it where Boost is installed",
        kExitUsage);
  });
}

}  // namespace bloomery::cli
