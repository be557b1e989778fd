// JSON-RPC 2.0 over the log search, independent of the transport: a request's text in, the reply's
// text out. The rules and the texts of the errors are go-ethereum's.
#pragma once
#include "apps/ethlog/serve/clients.h"
#include "apps/ethlog/serve/filters.h"
#include "apps/ethlog/serve/rpc_arguments.h"
#include "apps/ethlog/serve/rpc_search.h"
#include "apps/ethlog/serve/rpc_statistics.h"
#include "apps/ethlog/serve/subscriptions.h"

namespace bloomery::ethlog {

struct RpcLimits {
  std::size_t batch_items = 1'000;
  std::size_t batch_bytes = 25'000'000;  // of its results
  SearchLimits search;
  FilterLimits filters;
  ClientLimits clients;
};

// Everything that the methods work on. Nothing is added to the chain while one begins or ends.
struct RpcService {
  // `its_clients`: those of all chains of the server; null: this chain's alone.
  RpcService(LiveChain& served, RpcLimits given, std::string version,
             std::shared_ptr<Clients> its_clients = nullptr)
      : chain{served},
        threads{std::make_shared<SearchThreads>(served.reader())},
        limits{given},
        client_version{std::move(version)},
        clients{its_clients ? std::move(its_clients) : std::make_shared<Clients>(given.clients)},
        filters{given.filters} {
    chain.listen([this](const ChainChange& change) { publish(change); });
  }
  RpcService(const RpcService&) = delete;
  RpcService& operator=(const RpcService&) = delete;
  ~RpcService() { chain.listen({}); }

  void publish(const ChainChange& change);

  LiveChain& chain;
  std::shared_ptr<SearchThreads> threads;  // of all searches
  RpcLimits limits;
  std::string client_version;
  std::shared_ptr<Clients> clients;
  Filters filters;
  Subscriptions subscriptions;
  RpcStatistics statistics;
};

// What became of the calls of a message, for HTTP's status.
struct RpcVerdict {
  std::size_t calls = 0;
  std::size_t refused = 0;                   // of them, by a limit of the client
  std::chrono::milliseconds retry_after{0};  // the longest of them
};

// The client of a call. Without a peer, as over HTTP, it cannot subscribe.
struct RpcCaller {
  RpcPeer peer = {};
  std::string_view client = {};  // its address, for what is limited per client
  SearchEnd end = {};
  RpcVerdict* verdict = nullptr;  // may be null
};

struct RpcMethod {
  std::string_view name;
  // Appends the result; what is appended before an error is taken back.
  std::optional<RpcError> (*run)(RpcService& service, RpcArguments& arguments,
                                 const RpcCaller& caller, std::string& out);
};
std::span<const RpcMethod> rpc_methods();

class Rpc {
 public:
  explicit Rpc(RpcService& service) : service_{service} {}

  // Empty where nothing is to be answered. Many threads may ask at once. What a peer subscribed to
  // begins when Subscriptions::send was given the answer.
  std::string answer(std::string_view body, RpcCaller caller) const;

 private:
  struct Request;
  // Nothing where nothing is to be answered; `result_bytes` of a batch so far.
  bool append_answer(std::string& out, const Request& request, const RpcCaller& caller,
                     std::size_t& result_bytes) const;
  std::string answer_batch(std::string_view body, const RpcCaller& caller) const;

  RpcService& service_;
};

}  // namespace bloomery::ethlog
