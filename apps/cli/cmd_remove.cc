#include "apps/cli/command.h"

namespace bloomery::cli {

void attach_remove(CLI::App& subcommand, Session& session) { (void)subcommand, (void)session; }

}  // namespace bloomery::cli
