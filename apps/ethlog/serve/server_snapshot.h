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
  std::string name;  // of the chain, where the server has several
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

// Prometheus' text format, version 0.0.4: what is of a chain with its name as a label, where it has
// one.
std::string metrics_text(std::span<const ServerSnapshot> chains);
inline std::string metrics_text(const ServerSnapshot& snapshot) {
  return metrics_text(std::span{&snapshot, 1});
}
// One JSON object; of several chains, one with an object for each.
std::string health_text(const ServerSnapshot& snapshot);
std::string health_text(std::span<const ServerSnapshot> chains);

}  // namespace bloomery::ethlog
