// The events that a search is for: which logs may be theirs, and which event a log is.
#pragma once
#include "apps/ethlog/abi/decode.h"
#include "apps/ethlog/model/log_query.h"

namespace bloomery::ethlog {

// An indexed argument must have one of these values: --arg from=0x….
struct ArgumentFilter {
  std::string name;
  std::vector<std::string> values;
};

// A log as one of the events, or why it is none. Views the set and the log.
struct DecodedLog {
  std::size_t event = 0;  // its place in the set
  std::vector<AbiValue> values;
};

class EventSet {
 public:
  // Equal events count once. Two that no log can tell apart are an error: those of one signature
  // with other arguments indexed, but as many. Every event must have the arguments of the filters.
  static Result<EventSet> make(std::vector<AbiEvent> events,
                               const std::vector<ArgumentFilter>& filters);

  const std::vector<AbiEvent>& events() const { return events_; }

  // Narrows the query to logs that may be one of the events. A query whose topics none of them can
  // have is an error; events that its first topic excludes leave the set.
  Status narrow(LogQuery& query);

  // Whether the log's indexed arguments have wanted values, as far as its event is known by its
  // topics; a log that is none of the events passes, so that decode() says why.
  bool wants(const Log& log) const;
  Result<DecodedLog> decode(const Log& log) const;

 private:
  struct Wanted {  // at a place among the topics
    std::size_t position;
    std::vector<Topic> choices;  // sorted
  };
  bool satisfies(std::size_t event, const Log& log) const;
  std::vector<std::size_t> candidates(const Log& log) const;

  std::vector<AbiEvent> events_;
  std::vector<std::vector<Wanted>> wanted_;  // of each event
};

}  // namespace bloomery::ethlog
