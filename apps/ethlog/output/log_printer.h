// Decodes logs and hands them to a writer: with what to do about those that are none of the events.
#pragma once
#include "apps/ethlog/output/log_writer.h"

namespace bloomery::ethlog {

// Of a log that has the first topic of an event and is none: the work ends, it is left out, or it
// is written as it is, with the reason.
enum class OnUndecoded : std::uint8_t { kStop, kSkip, kKeep };

struct PrintCounts {
  std::uint64_t logs = 0;       // written
  std::uint64_t undecoded = 0;  // written as they are, or left out
  std::string first_undecoded;  // where, and why
};

class LogPrinter {
 public:
  // The events may be null; they must outlive the printer.
  LogPrinter(const EventSet* events, OnUndecoded on_undecoded, std::unique_ptr<LogWriter> writer)
      : events_{events}, on_undecoded_{on_undecoded}, writer_{std::move(writer)} {}

  LogWriter& writer() { return *writer_; }
  // Logs whose arguments have other values than the wanted ones are passed over.
  Status print(const LogRecord& record);
  const PrintCounts& counts() const { return counts_; }

 private:
  const EventSet* events_;
  OnUndecoded on_undecoded_;
  std::unique_ptr<LogWriter> writer_;
  PrintCounts counts_;
};

}  // namespace bloomery::ethlog
