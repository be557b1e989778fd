// Filters that clients poll for changes of the chain. They are bounded in number and bytes, and
// dropped when they are not polled.
#pragma once
#include <chrono>
#include <map>
#include <variant>

#include "apps/ethlog/store/chain_events.h"

namespace bloomery::ethlog {

// 0x and up to 32 random digits, as go-ethereum makes them.
std::string new_rpc_id();

struct FilterLimits {
  std::size_t most = 10'000;
  std::size_t of_one_client = 1'000;                 // so that one does not use up all
  std::size_t bytes_of_one = std::size_t{16} << 20;  // one that grows beyond is dropped
  std::size_t bytes_of_all = std::size_t{256} << 20;
  std::chrono::seconds idle{300};  // then it is gone
};

// Any thread may use it.
class Filters {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Filters(const FilterLimits& limits = {}) : limits_{limits} {}

  enum class Refusal : std::uint8_t { kOfClient, kOfAll };  // whose limit is reached
  using Added = std::variant<std::string, Refusal>;         // the id, or why there is none
  // `client` is the address that the call came from; empty: not known, and so not limited.
  Added add_logs(LogQuery query, std::string_view client, Clock::time_point now = Clock::now());
  Added add_blocks(std::string_view client, Clock::time_point now = Clock::now());

  // A JSON list of what came since the last call, the oldest first; nothing without such a filter.
  std::optional<std::string> take_changes(const std::string& id,
                                          Clock::time_point now = Clock::now());
  // Nothing unless it is a filter of logs.
  std::optional<LogQuery> query_of(const std::string& id, Clock::time_point now = Clock::now());
  bool remove(const std::string& id);

  void publish(const ChainEvent& event, Clock::time_point now = Clock::now());
  std::size_t size() const;

 private:
  struct Filter {
    std::optional<SortedQuery> query;  // nothing: of blocks
    std::string changes;               // JSON values with commas between them
    std::size_t query_bytes = 0;
    Clock::time_point polled;
    std::string client;
    std::size_t bytes() const { return query_bytes + changes.size(); }
  };
  using Map = std::map<std::string, Filter, std::less<>>;
  Added add(Filter filter, Clock::time_point now);
  Map::iterator erase(Map::iterator at);
  void forget_idle(Clock::time_point now);
  Map::iterator find(const std::string& id, Clock::time_point now);
  // False: it became too large.
  bool append(Filter& filter, std::string_view json);

  FilterLimits limits_;
  mutable std::mutex mutex_;
  Map filters_;
  std::map<std::string, std::size_t, std::less<>> of_client_;
  std::size_t bytes_ = 0;
};

}  // namespace bloomery::ethlog
