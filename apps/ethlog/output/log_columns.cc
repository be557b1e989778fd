#include "apps/ethlog/output/log_columns.h"

#include <algorithm>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPlaceColumns = 7;  // block_number to address

void set_number(LogCell& cell, std::uint64_t number) {
  cell.is_null = false;
  cell.number = number;
}

void set_bytes(LogCell& cell, ByteView bytes) {
  cell.is_null = false;
  cell.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void set_text(LogCell& cell, std::string_view text) {
  cell.is_null = false;
  cell.bytes = text;
}

bool is_dynamic_kind(AbiKind kind) {
  return kind == AbiKind::kBytes || kind == AbiKind::kString || kind == AbiKind::kArray ||
         kind == AbiKind::kTuple;
}

// The column of an argument, without its place among others.
TableColumn column_for(const AbiParameter& parameter, const std::string& name) {
  const AbiType& type = parameter.type;
  TableColumn column{name, ColumnType::kText};
  column.abi_type = canonical_name(type);
  if (parameter.indexed && is_dynamic_kind(type.kind)) {
    column.name += "_hash";
    column.type = ColumnType::kFixed;
    column.fixed_bytes = Hash::kSize;
    column.abi_type += " indexed";
    return column;
  }
  switch (type.kind) {
    case AbiKind::kUint:
      if (type.size <= 64) column.type = ColumnType::kUnsigned;
      break;
    case AbiKind::kInt:
      if (type.size <= 64) column.type = ColumnType::kSigned;
      break;
    case AbiKind::kBool:
      column.type = ColumnType::kBool;
      break;
    case AbiKind::kAddress:
    case AbiKind::kFixedBytes:
    case AbiKind::kFunction:
      column.type = ColumnType::kFixed;
      column.fixed_bytes = type.size;
      break;
    case AbiKind::kBytes:
      column.type = ColumnType::kBytes;
      break;
    case AbiKind::kString:
      break;
    case AbiKind::kArray:
    case AbiKind::kTuple:
      column.type = ColumnType::kJson;
      break;
  }
  return column;
}

void set_value(LogCell& cell, const TableColumn& column, const AbiValue& value) {
  switch (column.type) {
    case ColumnType::kUnsigned:
    case ColumnType::kSigned:
      return set_number(cell, value.low_bits());
    case ColumnType::kBool:
      return set_number(cell, value.truth() ? 1 : 0);
    case ColumnType::kFixed:
      return set_bytes(cell, value.is_hash ? value.word.view() : value.fixed_bytes());
    case ColumnType::kBytes:
      return set_bytes(cell, value.bytes);
    case ColumnType::kText:
      if (value.type->kind == AbiKind::kString) return set_bytes(cell, value.bytes);
      cell.is_null = false;
      cell.bytes.clear();
      return append_decimal(cell.bytes, value);
    case ColumnType::kJson:
      break;
  }
  cell.is_null = false;
  cell.bytes.clear();
  append_json(cell.bytes, value);
}

}  // namespace

std::size_t LogTable::add(TableColumn column) {
  columns_.push_back(std::move(column));
  return columns_.size() - 1;
}

Result<LogTable> LogTable::make(const EventSet* events, const LogTableOptions& options) {
  LogTable table;
  table.events_ = events;
  table.options_ = options;
  table.columns_ = {{"block_number", ColumnType::kUnsigned},
                    {"block_hash", ColumnType::kFixed, Hash::kSize},
                    {"block_timestamp", ColumnType::kUnsigned, 0, true},
                    {"transaction_hash", ColumnType::kFixed, Hash::kSize, true},
                    {"transaction_index", ColumnType::kUnsigned},
                    {"log_index", ColumnType::kUnsigned},
                    {"address", ColumnType::kFixed, Address::kSize}};
  if (options.has_removed) table.add({"removed", ColumnType::kBool});
  if (events == nullptr) {
    for (std::size_t i = 0; i < TopicList::kMost; ++i)
      table.add({"topic" + std::to_string(i), ColumnType::kFixed, Hash::kSize, true});
    table.add({"data", ColumnType::kBytes});
    return table;
  }
  table.add({"event", ColumnType::kText, 0, options.keeps_undecoded});
  const auto& all = events->events();
  for (const AbiEvent& event : all) {
    const auto same = std::count_if(
        all.begin(), all.end(), [&](const AbiEvent& other) { return other.name == event.name; });
    table.event_names_.push_back(same > 1 ? event.signature : event.name);
    if (Status s = table.add_arguments(event, options.keeps_undecoded || all.size() > 1); !s)
      return s.error();
  }
  table.first_error_ = table.columns_.size();
  if (!options.keeps_undecoded) return table;
  for (TableColumn column : {TableColumn{"error", ColumnType::kText, 0, true},
                             TableColumn{"raw_topics", ColumnType::kText, 0, true},
                             TableColumn{"raw_data", ColumnType::kBytes, 0, true}})
    table.add(std::move(column));
  return table;
}

Status LogTable::add_arguments(const AbiEvent& event, bool may_be_null) {
  constexpr std::string_view kTaken[] = {"removed", "event", "error", "raw_topics", "raw_data"};
  const auto names = written_names(event.parameters);
  auto& places = arguments_.emplace_back();
  for (std::size_t i = 0; i < names.size(); ++i) {
    TableColumn column = column_for(event.parameters[i], names[i]);
    column.may_be_null = may_be_null;
    const auto is_taken = [&] {
      return std::find(std::begin(kTaken), std::end(kTaken), column.name) != std::end(kTaken) ||
             std::any_of(columns_.begin(), columns_.begin() + kPlaceColumns,
                         [&](const TableColumn& other) { return other.name == column.name; });
    };
    while (is_taken()) column.name = "arg_" + column.name;
    const auto same = std::find_if(columns_.begin(), columns_.end(), [&](const TableColumn& other) {
      return other.name == column.name;
    });
    if (same == columns_.end()) {
      places.push_back(add(std::move(column)));
      continue;
    }
    const auto index = static_cast<std::size_t>(same - columns_.begin());
    if (same->abi_type != column.abi_type ||
        std::find(places.begin(), places.end(), index) != places.end())
      return invalid_argument(message("the column '", column.name, "' would hold ", same->abi_type,
                                      " and, of ", event.signature, ", ", column.abi_type,
                                      "; write a file for each event (--event)"));
    places.push_back(index);
  }
  return ok();
}

void LogTable::fill(const LogRecord& record, const LogOutcome& outcome,
                    std::vector<LogCell>& row) const {
  row.resize(columns_.size());
  for (LogCell& cell : row) cell.is_null = true;
  std::size_t next = 0;
  set_number(row[next++], record.block_number);
  set_bytes(row[next++], record.block_hash.view());
  if (record.timestamp) set_number(row[next], *record.timestamp);
  ++next;
  if (record.transaction_hash) set_bytes(row[next], record.transaction_hash->view());
  ++next;
  set_number(row[next++], record.transaction_index);
  set_number(row[next++], record.log_index);
  set_bytes(row[next++], record.log.address.view());
  if (options_.has_removed) set_number(row[next++], record.removed ? 1 : 0);
  if (events_ == nullptr) {
    for (const Topic& topic : record.log.topics) set_bytes(row[next++], topic.view());
    set_bytes(row.back(), record.log.data);
    return;
  }
  if (outcome.decoded != nullptr) {
    set_text(row[next], event_names_[outcome.decoded->event]);
    const auto& places = arguments_[outcome.decoded->event];
    for (std::size_t i = 0; i < places.size(); ++i)
      set_value(row[places[i]], columns_[places[i]], outcome.decoded->values[i]);
    return;
  }
  if (!options_.keeps_undecoded) return;
  set_text(row[first_error_], outcome.error);
  LogCell& topics = row[first_error_ + 1];
  set_text(topics, "");
  for (const Topic& topic : record.log.topics) {
    if (!topics.bytes.empty()) topics.bytes += ' ';
    append_hex(topics.bytes, topic.view());
  }
  set_bytes(row[first_error_ + 2], record.log.data);
}

}  // namespace bloomery::ethlog
