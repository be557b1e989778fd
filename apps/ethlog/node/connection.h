// One connection to a node, over HTTP or WebSocket, with or without TLS. Everything that it waits
// for ends by a deadline or when the caller is stopped.
#pragma once
#include <memory>
#include <stop_token>

#include "apps/ethlog/node/node_failure.h"
#include "apps/ethlog/node/node_options.h"

namespace bloomery::ethlog {

struct NodeReply {
  unsigned status = 200;  // of HTTP; over WebSocket always 200
  std::optional<std::chrono::milliseconds> retry_after;
  std::string body;
};

// For one thread. It connects when it is needed, and anew after a failure.
class NodeConnection {
 public:
  NodeConnection() = default;
  NodeConnection(const NodeConnection&) = delete;
  NodeConnection& operator=(const NodeConnection&) = delete;
  virtual ~NodeConnection() = default;

  // Sends a message and waits for its reply.
  virtual NodeResult<NodeReply> exchange(const std::string& message,
                                         const std::stop_token& stop) = 0;
  // WebSocket only: the next message that comes by itself; nothing within that time.
  virtual NodeResult<std::optional<std::string>> receive(std::chrono::milliseconds wait,
                                                         const std::stop_token& stop) = 0;
};

// Makes connections to one node; they share what is read of certificates. Must outlive them.
class NodeConnector {
 public:
  // An error where the file of certificates cannot be read, or this build has no client.
  static Result<std::unique_ptr<NodeConnector>> make(const NodeOptions& options);
  virtual ~NodeConnector() = default;
  virtual std::unique_ptr<NodeConnection> connection() const = 0;
};

// Waits that long (true), or until it is stopped.
bool wait_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace bloomery::ethlog
