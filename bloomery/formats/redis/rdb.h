// The serialisation of Redis values (RDB) as far as a DUMP payload of a module type needs it: the
// length encoding, module opcodes, strings with LZF, and the checksum.
#pragma once
#include <optional>
#include <string>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"

namespace bloomery {

// CRC-64 with Jones's polynomial, reflected, starting at zero.
std::uint64_t crc64_jones(ByteView bytes) noexcept;

// Fills `out` exactly, or fails: on input that is short or long, or points before the start.
Status lzf_decompress(ByteView packed, ByteSpan out);

// The type id of a module's values: nine characters of six bits, then ten bits of version.
// Precondition: nine characters of A-Z a-z 0-9 - _.
std::uint64_t module_type_id(std::string_view name, std::uint32_t version);

// A string as it stands in the payload: a claim of its size, and the bytes to make it from.
struct RdbString {
  std::uint64_t size = 0;
  bool packed = false;
  ByteView stored;
  std::string integer;  // its text, where Redis wrote a short string as a number
  // Fills `out`. Precondition: out.size() == size.
  Status unpack(ByteSpan out) const;
};

// Reads the values a module saved, each behind its opcode. Sticky as ByteReader: after the first
// error values are zero and error() says what was wrong.
class RdbModuleReader {
 public:
  explicit RdbModuleReader(ByteView bytes) : reader_{bytes} {}

  std::uint64_t length();  // without an opcode
  std::uint64_t unsigned_value();
  double double_value();
  RdbString string_value();  // allocates nothing, for any size it claims
  void end();                // the opcode after the last value, and nothing behind it

  bool failed() const { return error_.has_value() || reader_.failed(); }
  Error error() const;     // Precondition: failed().
  void fail(Error error);  // keeps the first
  std::size_t remaining() const { return reader_.remaining(); }

 private:
  struct Length {
    std::uint64_t value = 0;
    bool is_encoding = false;  // then the value names how a string is written
  };
  Length length_or_encoding();
  void expect_opcode(std::uint64_t opcode, std::string_view what);
  RdbString integer_string(std::uint64_t encoding);

  ByteReader reader_;
  std::optional<Error> error_;
};

// What DUMP answers for a module's value: its type, the value, the release of RDB and a checksum.
struct RdbModulePayload {
  std::uint32_t version;   // of the module's own encoding
  RdbModuleReader reader;  // before the first value; its end is the value's
};
bool looks_like_module_payload(ByteView bytes, std::string_view type_name);  // of any version
// Checksum verified. kMalformed if it is of another type.
Result<RdbModulePayload> open_module_payload(ByteView bytes, std::string_view type_name);

// Writes such a payload, for RESTORE. Strings are not packed.
class RdbModuleWriter {
 public:
  RdbModuleWriter(std::string_view type_name, std::uint32_t version);
  void unsigned_value(std::uint64_t value);
  void double_value(double value);
  void string_value(ByteView bytes);
  std::vector<std::byte> take();  // with the end and the checksum

 private:
  void length(std::uint64_t value);
  ByteWriter writer_;
};

}  // namespace bloomery
