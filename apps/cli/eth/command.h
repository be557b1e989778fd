// Options that the commands of the group `eth` share, and the list of these commands.
#pragma once
#include <string>

#include "apps/cli/shell/command.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// --db, the folder of the chain.
void add_db_option(CommandLine& app, std::string& folder);

void attach_eth_import(CommandLine& subcommand, Session& session);
void attach_eth_index(CommandLine& subcommand, Session& session);
void attach_eth_logs(CommandLine& subcommand, Session& session);
void attach_eth_serve(CommandLine& subcommand, Session& session);
void attach_eth_status(CommandLine& subcommand, Session& session);
void attach_eth_verify(CommandLine& subcommand, Session& session);

}  // namespace bloomery::cli
