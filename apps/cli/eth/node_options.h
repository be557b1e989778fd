// Options of commands that read from an Ethereum node.
#pragma once
#include "apps/cli/shell/callback.h"
#include "apps/cli/shell/command.h"
#include "apps/ethlog/node/node_options.h"

namespace bloomery::cli {

struct NodeArguments {
  std::vector<std::string> headers;
  std::string jwt_secret;
  std::string ca_file;
  std::uint64_t jobs = ethlog::NodeOptions{}.jobs;
};

// A source as messages may show it: of a node's address no user, password, path or query.
std::string shown_source(std::string_view text);

// --header, --jwt-secret, --ca-file and --jobs. Given without a node's address they are refused:
// `has_node` says whether there is one.
void add_node_options(CommandLine& app, NodeArguments& arguments, Callback<bool()> has_node,
                      std::string_view node_option);
// kInvalidArgument names the option.
Result<ethlog::NodeOptions> node_options(const NodeArguments& arguments,
                                         const std::string& address);

}  // namespace bloomery::cli
