// Fields of a record, as cut(1) counts them: from 1, between single separators.
#pragma once
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

struct FieldRange {  // both ends included
  std::uint64_t first;
  std::uint64_t last;
};

// "1,3-5", "-3", "2-".
Result<std::vector<FieldRange>> parse_fields(std::string_view list);

// Appends the chosen fields in the order of the record, with a separator between them. A record
// without a separator is appended whole, as cut does.
void append_fields(ByteView record, std::byte separator, const std::vector<FieldRange>& fields,
                   std::vector<std::byte>& to);

}  // namespace bloomery::cli
