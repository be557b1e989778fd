// Calls to a node by any number of threads: connections that are kept, retries with back-off, and
// batches and concurrency as large as the node bears.
#pragma once
#include <atomic>
#include <mutex>

#include "apps/ethlog/node/connection.h"
#include "apps/ethlog/node/request_gate.h"
#include "apps/ethlog/node/rpc_answers.h"

namespace bloomery::ethlog {

// One call's outcome: its result as JSON text, or why there is none. Such a failure is kRefused,
// kNoMethod, of a call that was sent alone kTooLarge, or of one that may fail kPassing.
using CallOutcome = NodeResult<std::string>;

struct NodeCounts {
  std::uint64_t requests = 0;
  std::uint64_t failures = 0;  // that were tried again
  std::uint64_t bytes = 0;     // of answers
};

class NodeClient {
 public:
  static Result<std::unique_ptr<NodeClient>> make(NodeOptions options);

  // In the order of the calls. A failure of all of them: stopped, refused, or no progress in as
  // many attempts as the options allow.
  NodeResult<std::vector<CallOutcome>> call(std::span<const RpcCall> calls,
                                            const std::stop_token& stop);
  // The same of one call, whose own failure is that of all.
  NodeResult<std::string> call(const RpcCall& call, const std::stop_token& stop);

  const NodeOptions& options() const { return options_; }
  // For what is not a call: subscriptions. The client must outlive it.
  std::unique_ptr<NodeConnection> connection() const { return connector_->connection(); }
  std::size_t batch() const { return batch_; }  // calls in a request, at present
  std::size_t concurrency() const { return gate_.allowed(); }
  NodeCounts counts() const { return {requests_, failures_, bytes_}; }
  // A sentence that begins with the node's address and holds no key.
  std::string named(const std::string& why) const;

 private:
  NodeClient(NodeOptions options, std::unique_ptr<NodeConnector> connector);
  struct Work;
  // One request for the first calls that are open. Nothing: it made progress.
  std::optional<NodeFailure> advance(Work& work, const std::stop_token& stop);
  NodeResult<RpcAnswers> request(std::span<const RpcCall> calls, const std::stop_token& stop);
  std::optional<NodeFailure> take(Work& work, std::size_t count, RpcAnswers& answers);
  std::optional<NodeFailure> shrink(Work& work, std::size_t count, NodeFailure failure);
  std::unique_ptr<NodeConnection> take_connection();
  void put_back(std::unique_ptr<NodeConnection> connection);

  NodeOptions options_;
  NodeSecrets secrets_;
  std::unique_ptr<NodeConnector> connector_;
  RequestGate gate_;
  std::atomic<std::size_t> batch_;
  std::atomic<std::size_t> good_batches_ = 0;
  std::atomic<std::size_t> row_ = 8;   // of them, before a larger one is tried
  std::atomic<bool> reached_ = false;  // it answered once
  std::atomic<std::uint64_t> next_id_ = 1;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<NodeConnection>> idle_;
};

}  // namespace bloomery::ethlog
