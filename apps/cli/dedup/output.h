// Output of records to stdout from the memory they were read into, without the stream library.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/records/chunk.h"
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

// Moves the records whose is_new equals `wanted` to the front, with their delimiters, and returns
// them. The chunk's records are gone then.
ByteView gather_records(Chunk& chunk, bool wanted);

// Copies them instead, to the end of `to`; the chunk's records stay.
void copy_records(const Chunk& chunk, bool wanted, std::vector<std::byte>& to);
// Every record with its delimiter, after "new" or "repeat" and the separator.
void mark_records(const Chunk& chunk, std::vector<std::byte>& to,
                  std::byte separator = std::byte{'\t'});
// Every record, a JSON object, with one member more: "NAME":"new" or "NAME":"repeat". Fails for a
// record that is no object or has the member.
Status mark_objects(const Chunk& chunk, const std::string& name, std::vector<std::byte>& to);
// The records whose is_new is 1, after their number in chunk.fingerprints and the separator.
void number_records(const Chunk& chunk, std::vector<std::byte>& to,
                    std::byte separator = std::byte{'\t'});

// Writes all of it, in as many writes as it takes. Errors begin with the name.
Status write_all(int descriptor, ByteView bytes, std::string_view name = "standard output");
// Forces what was written to the disk, where there is one: state that is saved after it must not
// outlive it.
Status sync_output(int descriptor, std::string_view name = "standard output");

}  // namespace bloomery::cli
