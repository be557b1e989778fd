// What the commands of the group `eth` have in common, and the table of them.
#pragma once
#include <string>

#include "apps/cli/shell/command.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// --db, the folder of the chain.
void add_db_option(CLI::App& app, std::string& folder);

void attach_eth_import(CLI::App& subcommand, Session& session);
void attach_eth_index(CLI::App& subcommand, Session& session);
void attach_eth_logs(CLI::App& subcommand, Session& session);
void attach_eth_serve(CLI::App& subcommand, Session& session);
void attach_eth_status(CLI::App& subcommand, Session& session);
void attach_eth_verify(CLI::App& subcommand, Session& session);

}  // namespace bloomery::cli
