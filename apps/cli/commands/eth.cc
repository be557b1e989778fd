// The group `eth`: a row for each of its commands.
#include "apps/cli/eth/command.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr Command kEthCommands[] = {
    {"import", "Import blocks into a chain folder, and check them", attach_eth_import},
    {"index", "Build the index for searches", attach_eth_index},
    {"logs", "Print the logs of a range of blocks, as eth_getLogs does", attach_eth_logs},
    {"serve", "Answer eth_getLogs over HTTP and WebSocket", attach_eth_serve},
    {"verify", "Check blocks and index by recomputing them", attach_eth_verify},
    {"status", "Show the contents of a chain folder", attach_eth_status},
};

}  // namespace

void add_db_option(CommandLine& app, std::string& folder) {
  app.add_option("--db", folder, "Folder of the chain")->required()->value_name("DIR");
}

void attach_eth(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth import --db chain mainnet-*.era1     import and check blocks\n"
      "  bloomery eth index --db chain                     makes searches faster\n"
      "  bloomery eth logs --db chain --address 0xdac1…1ec7 > logs.jsonl\n"
      "  bloomery eth status --db chain\n");
  for (const Command& command : kEthCommands) attach_command(subcommand, command, session);
}

}  // namespace bloomery::cli
