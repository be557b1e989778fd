// What an input is, told by its first bytes: how it is compressed, and whether it is something else
// than records, which would be read as lines and answered without an error.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::input {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd, kXz, kBzip2, kLz4 };

// "none", "gzip", "zstd", "xz", "bzip2", "lz4".
std::string_view compression_name(Compression compression);
// By that name.
std::optional<Compression> find_compression(std::string_view name);
// False where the library was not there at build time.
bool is_built(Compression compression);

Compression recognise(ByteView first_bytes);
// Whether more bytes could still make one of the known beginnings: a pipe that brings "7" and waits
// must not be waited for.
bool could_be_known(ByteView first_bytes);

// How the input is named in advice.
struct Advice {
  std::string_view name;        // of the input
  std::string_view consumer;    // the command that reads it: "bloomery dedup"
  std::string_view way_around;  // how to have the bytes read as they are; may be empty
};

// The sentence that refuses an input with this beginning; nothing where it may hold records. Every
// refusal names the command to use.
std::optional<std::string> refusal_of(ByteView first_bytes, const Advice& advice);
// The sentence for a compression that this build lacks.
std::string not_built_sentence(Compression compression, const Advice& advice);

}  // namespace bloomery::input
