#include "bloomery/formats/parquet/schema.h"

#include <array>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostDepth = 64;

enum class Repetition : std::uint8_t { kRequired = 0, kOptional = 1, kRepeated = 2 };

struct SchemaElement {
  std::optional<std::int64_t> type;  // empty: a group
  std::int64_t fixed_bytes = 0;
  std::int64_t repetition = 0;
  std::string_view name;
  std::int64_t children = 0;
  std::int64_t scale = 0;
  std::int64_t precision = 0;
  std::string_view logical;
  bool is_unsigned = false;
};

constexpr std::array<std::string_view, 22> kConverted = {
    "string",  "map",          "map_key_value", "list",  "enum",   "decimal", "date",   "time_ms",
    "time_us", "timestamp_ms", "timestamp_us",  "uint8", "uint16", "uint32",  "uint64", "int8",
    "int16",   "int32",        "int64",         "json",  "bson",   "interval"};
constexpr std::size_t kFirstUnsigned = 11;
constexpr std::size_t kLastUnsigned = 14;

// Members of the union LogicalType by their field; integers are refined by their own struct.
constexpr std::array<std::string_view, 19> kLogical = {
    "",        "string",  "map",  "list", "enum", "decimal", "date",    "time",     "timestamp", "",
    "integer", "unknown", "json", "bson", "uuid", "float16", "variant", "geometry", "geography"};

void read_logical_type(ThriftReader& reader, SchemaElement& element) {
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id > 0 && static_cast<std::size_t>(id) < kLogical.size())
      element.logical = kLogical[static_cast<std::size_t>(id)];
    if (id != 10 || type != ThriftType::kStruct) return false;
    reader.read_struct([&](std::int64_t member, ThriftType value) {
      if (member == 2) element.is_unsigned = value == ThriftType::kFalse;
      return false;
    });
    if (element.is_unsigned) element.logical = "unsigned";
    return true;
  });
}

void note_converted(std::int64_t converted, SchemaElement& element) {
  const auto place = static_cast<std::size_t>(converted);
  if (converted < 0 || place >= kConverted.size()) return;
  if (element.logical.empty()) element.logical = kConverted[place];
  if (place >= kFirstUnsigned && place <= kLastUnsigned) element.is_unsigned = true;
}

SchemaElement read_element(ThriftReader& reader) {
  SchemaElement element;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 4 && type == ThriftType::kBinary) {
      element.name = text_of(reader.read_binary());
      return true;
    }
    if (id == 10 && type == ThriftType::kStruct) {
      read_logical_type(reader, element);
      return true;
    }
    if (type != ThriftType::kI32) return false;
    if (id == 1)
      element.type = reader.read_integer();
    else if (id == 2)
      element.fixed_bytes = reader.read_integer();
    else if (id == 3)
      element.repetition = reader.read_integer();
    else if (id == 5)
      element.children = reader.read_integer();
    else if (id == 6)
      note_converted(reader.read_integer(), element);
    else if (id == 7)
      element.scale = reader.read_integer();
    else if (id == 8)
      element.precision = reader.read_integer();
    else
      return false;
    return true;
  });
  return element;
}

// Walks the elements, which come depth first, and makes a column of each leaf.
class SchemaWalk {
 public:
  explicit SchemaWalk(std::uint64_t max_bytes) : max_bytes_{max_bytes} {}

  // False where the element does not fit; error() says why.
  bool add(const SchemaElement& element) {
    if (!started_) return start(element);
    while (!open_.empty() && open_.back().children == 0) open_.pop_back();
    if (open_.empty()) return fail("has more elements than its groups have children");
    if (open_.size() > kMostDepth) return fail(message("nests deeper than ", kMostDepth));
    if (element.repetition < 0 || element.repetition > 2)
      return fail(message("gives '", element.name, "' an unknown repetition"));
    --open_.back().children;
    Group here = open_.back();
    here.path =
        here.path.empty() ? std::string{element.name} : message(here.path, ".", element.name);
    const auto repetition = static_cast<Repetition>(element.repetition);
    if (repetition != Repetition::kRequired) ++here.definition;
    if (repetition == Repetition::kRepeated) ++here.repetition;
    if (element.children < 0) return fail("has a group with a negative number of children");
    if (element.type) return add_column(element, std::move(here));
    here.children = element.children;
    open_.push_back(std::move(here));
    return true;
  }

  Result<std::vector<ParquetColumn>> finish() {
    if (error_.empty()) {
      while (!open_.empty() && open_.back().children == 0) open_.pop_back();
      if (!started_)
        fail("is missing");
      else if (!open_.empty())
        fail("ends before all children of its groups are named");
    }
    if (!error_.empty()) return Error{code_, message("the schema of the Parquet file ", error_)};
    return std::move(columns_);
  }

 private:
  struct Group {
    std::int64_t children = 0;  // that are yet to come
    std::uint32_t definition = 0;
    std::uint32_t repetition = 0;
    std::string path;
  };

  bool start(const SchemaElement& root) {
    started_ = true;
    if (root.children < 0) return fail("has a root with a negative number of children");
    open_.push_back({root.children, 0, 0, {}});
    return true;
  }

  bool add_column(const SchemaElement& element, Group here) {
    if (*element.type < 0 || *element.type > static_cast<std::int64_t>(ParquetType::kFixedBytes))
      return fail(message("gives column ", here.path, " the unknown type ", *element.type));
    ParquetColumn column;
    column.type = static_cast<ParquetType>(*element.type);
    if (column.type == ParquetType::kFixedBytes) {
      if (element.fixed_bytes <= 0 || element.fixed_bytes > INT32_MAX)
        return fail(
            message("gives column ", here.path, " values of ", element.fixed_bytes, " bytes"));
      column.fixed_bytes = static_cast<std::uint32_t>(element.fixed_bytes);
    }
    column.is_unsigned = element.is_unsigned;
    column.logical = element.logical;
    if (element.logical == "decimal")
      column.logical = message("decimal(", element.precision, ",", element.scale, ")");
    if (element.logical == "unsigned")
      column.logical = column.type == ParquetType::kInt64 ? "uint64" : "uint32";
    if (element.logical == "integer") column.logical.clear();
    column.path = std::move(here.path);
    column.definition = here.definition;
    column.repetition = here.repetition;
    bytes_ += sizeof column + column.path.size();
    if (bytes_ > max_bytes_) {
      code_ = ErrorCode::kTooLarge;
      return fail(message("takes more than the limit of ", max_bytes_, " bytes"));
    }
    columns_.push_back(std::move(column));
    return true;
  }

  bool fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return false;
  }

  std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  bool started_ = false;
  std::vector<Group> open_;
  std::vector<ParquetColumn> columns_;
  std::string error_;
  ErrorCode code_ = ErrorCode::kMalformed;
};

}  // namespace

std::string type_in_words(const ParquetColumn& column) {
  constexpr std::array<std::string_view, 8> kNames = {
      "boolean", "int32",  "int64",      "int96",
      "float",   "double", "byte_array", "fixed_len_byte_array"};
  std::string words{kNames.at(static_cast<std::size_t>(column.type))};
  if (column.type == ParquetType::kFixedBytes) words += message("(", column.fixed_bytes, ")");
  if (!column.logical.empty()) words += message(" (", column.logical, ")");
  return words;
}

Result<std::vector<ParquetColumn>> read_parquet_schema(ThriftReader& reader,
                                                       std::uint64_t max_bytes) {
  SchemaWalk walk{max_bytes};
  bool fits = true;
  reader.read_list([&](ThriftType type) {
    if (type != ThriftType::kStruct || !fits) return false;
    const SchemaElement element = read_element(reader);
    if (!reader.failed()) fits = walk.add(element);
    return true;
  });
  if (reader.failed()) return reader.error("the schema of a Parquet file");
  return walk.finish();
}

std::vector<std::size_t> find_parquet_columns(const std::vector<ParquetColumn>& columns,
                                              std::string_view name) {
  std::vector<std::size_t> same;
  std::vector<std::size_t> below;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view path = columns[i].path;
    if (path == name)
      same.push_back(i);
    else if (path.starts_with(name) && path[name.size()] == '.')
      below.push_back(i);
  }
  return same.empty() ? below : same;
}

}  // namespace bloomery
