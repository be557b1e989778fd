// The rest of an input in a nameless temporary file (in TMPDIR, or /tmp), mapped: for readers that
// need all of it at once, of a pipe or a compressed file.
#pragma once
#include "apps/input/input.h"
#include "bloomery/base/file.h"

namespace bloomery::input {

// Errors name the input, or the folder that has no room.
Result<MappedFile> spool(Input& input);

}  // namespace bloomery::input
