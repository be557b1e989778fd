// The table that logs are written as: its columns, and the row of a log. CSV and Parquet share it.
#pragma once
#include "apps/ethlog/abi/event_set.h"
#include "apps/ethlog/model/log_record.h"

namespace bloomery::ethlog {

enum class ColumnType : std::uint8_t {
  kUnsigned,  // of 64 bits
  kSigned,    // of 64 bits
  kBool,
  kFixed,  // bytes, always as many
  kBytes,
  kText,  // and the decimal digits of numbers of more than 64 bits
  kJson,  // arrays and tuples
};

struct TableColumn {
  std::string name;
  ColumnType type = ColumnType::kText;
  std::uint32_t fixed_bytes = 0;
  bool may_be_null = false;
  std::string abi_type = {};  // of a column of arguments: what all events in it have
};

struct LogCell {
  bool is_null = true;
  std::uint64_t number = 0;  // of kUnsigned, kSigned, kBool
  std::string bytes = {};    // of the others
};

// What became of a log: decoded, or not, or not asked for (neither is set).
struct LogOutcome {
  const DecodedLog* decoded = nullptr;
  std::string_view error = {};
};

struct LogTableOptions {
  bool keeps_undecoded =
      false;                 // rows of logs that could not be decoded, with why and what they are
  bool has_removed = false;  // a column that says whether a reorganisation took the log back
};

class LogTable {
 public:
  // Without events, topics and data are columns as they are. The events must outlive the table. An
  // error where one column would hold arguments of two types.
  static Result<LogTable> make(const EventSet* events, const LogTableOptions& options);

  const std::vector<TableColumn>& columns() const { return columns_; }
  // One cell for each column; those of an earlier row are used again.
  void fill(const LogRecord& record, const LogOutcome& outcome, std::vector<LogCell>& row) const;

 private:
  std::size_t add(TableColumn column);
  Status add_arguments(const AbiEvent& event, bool may_be_null);

  const EventSet* events_ = nullptr;
  LogTableOptions options_;
  std::vector<TableColumn> columns_;
  std::vector<std::string> event_names_;             // as written in the column event
  std::vector<std::vector<std::size_t>> arguments_;  // of each event, the column of each argument
  std::size_t first_error_ = 0;                      // of the columns for logs not decoded
};

}  // namespace bloomery::ethlog
