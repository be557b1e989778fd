// The state of the server at one moment, for the page, the metrics and the health.
#pragma once
#include "apps/ethlog/import/follow.h"
#include "apps/ethlog/serve/rpc.h"

namespace bloomery::ethlog {

struct IndexCoverage {
  std::string name;
  std::uint64_t blocks = 0;  // that it covers
};

struct ServerSnapshot {
  std::string version;
  std::uint64_t chain_id = 0;
  std::optional<std::uint64_t> head;
  std::optional<Hash> head_hash;
  std::optional<std::uint64_t> head_time;  // seconds since 1970
  std::optional<std::uint64_t> lowest;
  std::optional<StoreCounts> counts;
  std::uint64_t section_size = 0;
  std::vector<IndexCoverage> indexes;
  std::uint64_t disk_bytes = 0;
  std::optional<Error> error;    // why something above is missing
  std::vector<BlockRange> lost;  // blocks that were there once
  std::optional<FollowCounts> follow;
  std::uint64_t reorganisations = 0;
  std::size_t filters = 0;
  std::size_t subscriptions = 0;
  http::ServerCounts http;
  std::map<std::string, MethodCounts, std::less<>> methods;
  QueryTotals totals;
  std::deque<PastQuery> last_queries;
  std::chrono::seconds uptime{0};

  bool is_healthy() const { return !error && lost.empty(); }
};

// Of the chain alone. Walks the sections of its indexes.
void snapshot_chain(const LiveChain& chain, const std::filesystem::path& folder,
                    ServerSnapshot& snapshot);

// Prometheus' text format, version 0.0.4.
std::string metrics_text(const ServerSnapshot& snapshot);
// One JSON object.
std::string health_text(const ServerSnapshot& snapshot);

}  // namespace bloomery::ethlog
