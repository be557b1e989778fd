// What is said of records: the place of one in its file, and oddities of a text.
#pragma once
#include <string>
#include <string_view>

#include "apps/cli/records/keys.h"

namespace bloomery::cli {

// "a.jsonl: record 2 (byte 7 of the record): ...", both counted from 1.
std::string at_record_byte(std::string_view file, std::uint64_t record, std::uint64_t byte,
                           std::string_view sentence);
// The same of an error that ends in the byte, " (byte 7)", as those of keys do; without the byte of
// any other error.
Error at_record(const Error& error, std::string_view file, std::uint64_t record);

// Warns on stderr of a byte order mark in the first record, of lines that end in CR alone, and once
// of keys that keep the CR where all lines end in CR LF.
void notice_text_marks(const std::string& name, std::span<const ByteView> records,
                       const RecordOptions& options);

}  // namespace bloomery::cli
