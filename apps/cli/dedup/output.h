// Output of records to stdout from the memory they were read into, without the stream library.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/dedup/chunk.h"
#include "apps/cli/records/stream.h"

namespace bloomery::cli {

// Moves the records whose is_new equals `wanted` to the front, with their delimiters, and returns
// them. The chunk's records are gone then.
ByteView gather_records(Chunk& chunk, bool wanted);

// Writes all of it, in as many writes as it takes. Errors say "standard output".
Status write_all(int descriptor, ByteView bytes);
// Forces what was written to the disk, where there is one: state that is saved after it must not
// outlive it.
Status sync_output(int descriptor);

}  // namespace bloomery::cli
