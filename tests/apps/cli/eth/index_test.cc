#include <gmock/gmock.h>

#include <sstream>

#include "apps/cli/eth/command.h"
#include "apps/cli/shell/help.h"
#include "apps/cli/shell/numbers.h"
#include "apps/ethlog/index/adaptive/section.h"
#include "apps/ethlog/store/chain_store.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

TEST(EthIndex, HelpStatesTheDefaultsOfTheIndexes) {
  Session session;
  CommandLine program{"bloomery", "A program"};
  CommandLine& command = program.add_command("index", "A command");
  attach_eth_index(command, session);
  const std::string help = help_text(command);
  EXPECT_THAT(help, ::testing::HasSubstr(message("(default: ", ethlog::kDefaultSectionSize, ";")));
  EXPECT_THAT(help, ::testing::HasSubstr(message(
                        "(default: ", significant(ethlog::kDefaultAdaptiveRate * 100, 6), "%;")));
}

}  // namespace
}  // namespace bloomery::cli
