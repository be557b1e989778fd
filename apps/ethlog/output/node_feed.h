// The chain of a server as a feed: eth serve, or any node that answers eth_getLogs.
#pragma once
#include "apps/ethlog/node/node_client.h"
#include "apps/ethlog/output/log_feed.h"

namespace bloomery::ethlog {

struct NodeFeedOptions {
  std::stop_token stop = {};
  // Called at the first of several failures that may pass. Without it, each is an error.
  std::function<void(const Error&)> on_wait = {};
};

// The client must outlive it.
std::unique_ptr<LogFeed> make_node_feed(NodeClient& client, NodeFeedOptions options);

}  // namespace bloomery::ethlog
