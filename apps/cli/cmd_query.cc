#include "apps/cli/command.h"

namespace bloomery::cli {

void attach_query(CLI::App& subcommand, Session& session) { (void)subcommand, (void)session; }

}  // namespace bloomery::cli
