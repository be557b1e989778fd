// Fields of a record, as cut(1) counts them: from 1, between single separators.
#pragma once
#include <string>
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

// The highest field that a record must have: the end of a range, or the start of one without end.
std::uint64_t last_named(const std::vector<FieldRange>& fields);

struct FieldRules {
  std::byte separator{'\t'};
  // A field that begins with a double quote is refused: its separators may be quoted.
  bool refuses_quotes = false;
};

// Appends the chosen fields in the order of the record, with a separator between them, and returns
// how many fields the record has. The error for a quote ends in its byte, " (byte 3)".
Result<std::uint64_t> append_fields(ByteView record, const FieldRules& rules,
                                    const std::vector<FieldRange>& fields,
                                    std::vector<std::byte>& to);

std::string name_of_byte(std::byte byte);  // "tab", "','" or "byte 0x1f"

// The byte of the record that append_fields() appended as this byte, both counted from 0; the end
// of the last chosen field for the bytes behind.
std::size_t place_in_record(ByteView record, std::byte separator,
                            const std::vector<FieldRange>& fields, std::size_t appended);

}  // namespace bloomery::cli
