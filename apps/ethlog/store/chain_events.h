// A chain that is served while it grows: one writer at a time, and a listener that receives what
// became canonical and what no longer is, in order.
#pragma once
#include <mutex>

#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/model/log_match.h"
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

// A log that came or went, and its JSON, made when the first listener wants it.
class EventLog {
 public:
  EventLog(FoundLog found, LogFate fate) : found_{found}, fate_{fate} {}
  const Log& log() const { return found_.log; }
  std::uint64_t block() const { return found_.block.header.number; }
  const std::string& json() const {
    if (json_.empty()) append_log_json(json_, found_, fate_);
    return json_;
  }

 private:
  FoundLog found_;
  LogFate fate_;
  mutable std::string json_;
};

// One change, loaded: the logs that went, then those that came, each from the lowest block up, as
// go-ethereum sends them. A block that got its receipts only now is no new head, but its logs come.
// For one thread.
class ChainEvent {
 public:
  // Blocks that cannot be read, or have no receipts, have no logs here.
  ChainEvent(const ChainReader& reader, const ChainChange& change);

  const std::vector<ChainReader::Block>& added() const { return added_; }  // the lowest first
  const std::vector<EventLog>& logs() const { return logs_; }

 private:
  std::vector<ChainReader::Block> removed_;
  ChainReader::Block completed_;  // null: none was
  std::vector<ChainReader::Block> added_;
  std::vector<EventLog> logs_;
};

// Whether a filter or a subscription wants it.
bool wants(const SortedQuery& query, const EventLog& log);

class LiveChain {
 public:
  using Listener = std::function<void(const ChainChange&)>;

  // One that does not grow. The reader must outlive it; likewise the store.
  LiveChain(const ChainReader& reader, std::uint64_t chain_id,
            std::optional<StoreCounts> counts = {})
      : reader_{reader}, chain_id_{chain_id}, counts_{counts} {}
  LiveChain(ChainStore& store, std::uint64_t chain_id)
      : reader_{store.reader()}, chain_id_{chain_id}, store_{&store}, counts_{store.counts()} {}

  const ChainReader& reader() const { return reader_; }
  std::uint64_t chain_id() const { return chain_id_; }
  bool grows() const { return store_ != nullptr; }

  // Replaces the listener; none: an empty one. Once it returns, the old one is not called any more.
  // Not from a listener.
  void listen(Listener listener) {
    const std::lock_guard writing{writing_};
    listener_ = std::move(listener);
  }

  // Precondition of these: it grows. Any thread may call them; they wait for each other.
  Result<ChainChange> add(ImportedBlock block, Gaps gaps);
  Status sync();
  // For indexes: no block is added meanwhile.
  Status write(const std::function<Status(ChainStore&)>& work);

  // How often blocks were displaced, or got another bloom than indexes went by. While that is under
  // way it waits, so a search that sees the same number before and after saw one chain.
  std::uint64_t reorganisations() const;
  std::optional<StoreCounts> counts() const;  // nothing for geth's

 private:
  const ChainReader& reader_;
  std::uint64_t chain_id_;
  ChainStore* store_ = nullptr;
  std::mutex writing_;  // taken first; guards the listener
  Listener listener_;
  mutable std::mutex changing_;  // guards what follows
  std::uint64_t reorganisations_ = 0;
  std::optional<StoreCounts> counts_;
};

}  // namespace bloomery::ethlog
