// Writes logs, decoded or not, as JSON lines, CSV or Parquet.
#pragma once
#include <functional>
#include <memory>

#include "apps/ethlog/output/log_columns.h"

namespace bloomery::ethlog {

enum class LogFormat : std::uint8_t { kJsonLines, kCsv, kParquet };

// Appends to the output. An error ends the work.
using TextSink = std::function<Status(std::string_view)>;

class LogWriter {
 public:
  virtual ~LogWriter() = default;
  // Once, before everything: what the output begins with. Not where an output is continued.
  virtual Status begin() { return ok(); }
  virtual Status add(const LogRecord& record, const LogOutcome& outcome) = 0;
  virtual Status finish() { return ok(); }  // once, after everything
};

// `events` may be null: topics and data are written as they are; it must outlive the writer.
Result<std::unique_ptr<LogWriter>> make_log_writer(LogFormat format, const EventSet* events,
                                                   const LogTableOptions& options, TextSink sink);

// A field of a CSV record (RFC 4180): in quotes where it holds a quote, a comma or the end of a
// line, and where it is an empty text, as nothing at all is a null.
void append_csv_field(std::string& out, std::string_view text);

}  // namespace bloomery::ethlog
