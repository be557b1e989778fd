// The search for the ends of records: the innermost loop over every byte of the input.
#pragma once
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::cli {

// Appends the records that end in bytes[searched, size), without their delimiters; the first of
// them began at `begin`. Returns where the record that has not ended begins.
// Precondition: begin <= searched, and bytes[begin, searched) holds no delimiter.
std::size_t split_records(ByteView bytes, std::size_t begin, std::size_t searched,
                          std::byte delimiter, std::vector<ByteView>& records);

}  // namespace bloomery::cli
