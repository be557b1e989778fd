// The kind of an input, recognised by its first bytes: how it is compressed, and whether it is
// something else than records, which would be read as lines and answered without an error.
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

// The compression whose first bytes a whole input has in part; nothing where these bytes could be
// text too.
std::optional<Compression> cut_compression(ByteView whole_input);

// How the input is named in advice.
struct Advice {
  std::string_view name;          // of the input
  std::string_view consumer;      // the command that reads it: "bloomery dedup"
  std::string_view way_around;    // how to have the bytes read as they are; may be empty
  bool nul_ends_records = false;  // then many of them are no sign of UTF-16
  bool reads_columns = false;     // the command has --column, which reads Parquet files
};

// The sentence that refuses an input with this beginning; nothing where it may hold records. Every
// refusal names the command to use. The last kLastBytes, where they are known, decide over what
// begins like text (ending_decides).
constexpr std::size_t kLastBytes = 4;
bool ending_decides(ByteView first_bytes);
std::optional<std::string> refusal_of(ByteView first_bytes, const Advice& advice,
                                      ByteView last_bytes = {});
// The sentences for compressed data inside compressed data, and for data that end within their
// first bytes.
std::string compressed_twice_sentence(Compression outer, Compression inner, const Advice& advice);
std::string cut_sentence(Compression compression, const Advice& advice);
// The sentence for a compression that this build lacks.
std::string not_built_sentence(Compression compression, const Advice& advice);

}  // namespace bloomery::input
