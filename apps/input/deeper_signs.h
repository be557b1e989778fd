// Signs that an input is no text where no magic at its first byte says so: what a whole header, or
// the look of many bytes, tells.
#pragma once
#include <optional>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::input {

// Tar of every age: by the word at byte 257 of its first header (POSIX and GNU), or by the checksum
// of the header (1979's has no such word).
bool is_tar(ByteView first_bytes);
// Arrow's stream: a continuation marker, then the length of the schema's message in 8-byte units.
bool is_arrow_stream(ByteView first_bytes);
// A file of lzma (LZMA-alone), which has a header of plausible values and no magic.
bool is_lzma(ByteView first_bytes);
// More bytes could still show that it is.
bool could_be_lzma(ByteView first_bytes);
// "UTF-16LE" or "UTF-16BE" where most of every second byte are NUL and hardly one of the others.
std::optional<std::string_view> utf16_without_mark(ByteView first_bytes);

// A byte that no text has, NUL apart: records may end in NUL. Escape (27) colours text.
bool has_control(ByteView first_bytes);

}  // namespace bloomery::input
