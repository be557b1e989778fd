// The columns of a Parquet file (parquet-format 2.10): the leaves of the schema in its footer.
#pragma once
#include <string>
#include <vector>

#include "bloomery/formats/thrift_compact.h"

namespace bloomery {

enum class ParquetType : std::uint8_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedBytes = 7,
};

struct ParquetColumn {
  std::string path;  // names from the root, joined by dots
  ParquetType type = ParquetType::kByteArray;
  std::uint32_t fixed_bytes = 0;  // of kFixedBytes
  bool is_unsigned = false;       // of kInt32 and kInt64: their logical type says so
  std::string logical;            // "string", "decimal(10,2)"; empty where the schema names none
  std::uint32_t definition = 0;   // the level of a value that is there; less is a null
  std::uint32_t repetition = 0;   // above 0: a row has any number of values

  bool is_number() const {
    return type != ParquetType::kByteArray && type != ParquetType::kFixedBytes &&
           type != ParquetType::kInt96;
  }
};

// "int64", "byte_array (string)", "fixed_len_byte_array(16) (uuid)".
std::string type_in_words(const ParquetColumn& column);

// Reads the list of SchemaElement that is field 2 of the footer. Precondition: the reader stands
// before it. The limit is for the memory of the columns.
Result<std::vector<ParquetColumn>> read_parquet_schema(ThriftReader& reader,
                                                       std::uint64_t max_bytes);

// The columns that a name means: the column of this path, or those below it, such as
// "tags.list.element" for "tags".
std::vector<std::size_t> find_parquet_columns(const std::vector<ParquetColumn>& columns,
                                              std::string_view name);

}  // namespace bloomery
