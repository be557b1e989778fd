#include "apps/ethlog/output/log_writer.h"

#include <snappy.h>

#include <optional>

#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/formats/parquet/writer.h"

namespace bloomery::ethlog {
namespace {

ByteView bytes_of_text(std::string_view text) { return std::as_bytes(std::span{text}); }

class JsonLinesWriter final : public LogWriter {
 public:
  JsonLinesWriter(const EventSet* events, TextSink sink) : events_{events}, sink_{std::move(sink)} {
    if (events_ == nullptr) return;
    for (const AbiEvent& event : events_->events())
      names_.push_back(written_names(event.parameters));
  }

  Status add(const LogRecord& record, const LogOutcome& outcome) override {
    line_.clear();
    append_log_json(line_, record);
    if (events_ != nullptr) {
      line_.pop_back();
      if (outcome.decoded != nullptr)
        append_decoded(*outcome.decoded);
      else
        append_error(outcome.error);
      line_ += '}';
    }
    line_ += '\n';
    return sink_(line_);
  }

 private:
  void append_decoded(const DecodedLog& decoded) {
    const AbiEvent& event = events_->events()[decoded.event];
    line_ += ",\"eventName\":";
    append_json_text(line_, event.name);
    line_ += ",\"eventSignature\":";
    append_json_text(line_, event.signature);
    line_ += ",\"args\":";
    append_json_object(line_, names_[decoded.event], decoded.values);
  }
  void append_error(std::string_view error) {
    line_ += ",\"error\":";
    append_json_text(line_, error);
  }

  const EventSet* events_;
  TextSink sink_;
  std::vector<std::vector<std::string>> names_;
  std::string line_;
};

class CsvWriter final : public LogWriter {
 public:
  CsvWriter(LogTable table, TextSink sink) : table_{std::move(table)}, sink_{std::move(sink)} {}

  Status begin() override {
    line_.clear();
    for (const TableColumn& column : table_.columns()) {
      if (!line_.empty()) line_ += ',';
      append_csv_field(line_, column.name);
    }
    line_ += "\r\n";
    return sink_(line_);
  }

  Status add(const LogRecord& record, const LogOutcome& outcome) override {
    table_.fill(record, outcome, row_);
    line_.clear();
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (i > 0) line_ += ',';
      if (!row_[i].is_null) append_cell(table_.columns()[i].type, row_[i]);
    }
    line_ += "\r\n";
    return sink_(line_);
  }

 private:
  void append_cell(ColumnType type, const LogCell& cell) {
    switch (type) {
      case ColumnType::kUnsigned:
        line_ += std::to_string(cell.number);
        return;
      case ColumnType::kSigned:
        line_ += std::to_string(static_cast<std::int64_t>(cell.number));
        return;
      case ColumnType::kBool:
        line_ += cell.number != 0 ? "true" : "false";
        return;
      case ColumnType::kFixed:
      case ColumnType::kBytes:
        return append_hex(line_, bytes_of_text(cell.bytes));
      case ColumnType::kText:
      case ColumnType::kJson:
        break;
    }
    append_csv_field(line_, cell.bytes);
  }

  LogTable table_;
  TextSink sink_;
  std::vector<LogCell> row_;
  std::string line_;
};

ParquetField field_of(const TableColumn& column) {
  ParquetField field{column.name};
  field.may_be_null = column.may_be_null;
  switch (column.type) {
    case ColumnType::kUnsigned:
      field.type = ParquetType::kInt64;
      field.meaning = ParquetMeaning::kUnsigned;
      break;
    case ColumnType::kSigned:
      field.type = ParquetType::kInt64;
      break;
    case ColumnType::kBool:
      field.type = ParquetType::kBoolean;
      break;
    case ColumnType::kFixed:
      field.type = ParquetType::kFixedBytes;
      field.fixed_bytes = column.fixed_bytes;
      break;
    case ColumnType::kBytes:
      break;
    case ColumnType::kText:
      field.meaning = ParquetMeaning::kString;
      break;
    case ColumnType::kJson:
      field.meaning = ParquetMeaning::kJson;
      break;
  }
  return field;
}

std::string compressed_by_snappy(ByteView plain) {
  std::string out;
  snappy::Compress(reinterpret_cast<const char*>(plain.data()), plain.size(), &out);
  return out;
}

class ParquetLogWriter final : public LogWriter {
 public:
  ParquetLogWriter(LogTable table, TextSink sink)
      : table_{std::move(table)}, sink_{std::move(sink)} {}

  Status begin() override {
    std::vector<ParquetField> fields;
    for (const TableColumn& column : table_.columns()) fields.push_back(field_of(column));
    ParquetWriterOptions options;
    options.codec = ParquetCodec::kSnappy;
    options.compress = compressed_by_snappy;
    auto writer = ParquetWriter::open(
        std::move(fields),
        [this](ByteView bytes) {
          return sink_({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        },
        std::move(options));
    if (!writer) return writer.error();
    writer_.emplace(std::move(*writer));
    return ok();
  }

  Status add(const LogRecord& record, const LogOutcome& outcome) override {
    table_.fill(record, outcome, row_);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const ColumnType type = table_.columns()[i].type;
      if (row_[i].is_null)
        writer_->add_null();
      else if (type == ColumnType::kUnsigned || type == ColumnType::kSigned)
        writer_->add_number(row_[i].number);
      else if (type == ColumnType::kBool)
        writer_->add_bool(row_[i].number != 0);
      else
        writer_->add_bytes(bytes_of_text(row_[i].bytes));
    }
    return writer_->end_row();
  }

  Status finish() override { return writer_->finish(); }

 private:
  LogTable table_;
  TextSink sink_;
  std::optional<ParquetWriter> writer_;
  std::vector<LogCell> row_;
};

}  // namespace

void append_csv_field(std::string& out, std::string_view text) {
  if (!text.empty() && text.find_first_of("\",\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

Result<std::unique_ptr<LogWriter>> make_log_writer(LogFormat format, const EventSet* events,
                                                   const LogTableOptions& options, TextSink sink) {
  std::unique_ptr<LogWriter> writer;
  if (format == LogFormat::kJsonLines) {
    writer = std::make_unique<JsonLinesWriter>(events, std::move(sink));
    return writer;
  }
  auto table = LogTable::make(events, options);
  if (!table) return table.error();
  if (format == LogFormat::kCsv)
    writer = std::make_unique<CsvWriter>(std::move(*table), std::move(sink));
  else
    writer = std::make_unique<ParquetLogWriter>(std::move(*table), std::move(sink));
  return writer;
}

}  // namespace bloomery::ethlog
