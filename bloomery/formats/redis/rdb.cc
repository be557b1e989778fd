#include "bloomery/formats/redis/rdb.h"

#include <algorithm>
#include <array>

#include "bloomery/base/error.h"

namespace bloomery {
namespace {

enum : std::uint64_t { kOpcodeEnd = 0, kOpcodeUnsigned = 2, kOpcodeDouble = 4, kOpcodeString = 5 };

constexpr std::byte kModuleType{7};
constexpr std::size_t kTypeBytes = 10;       // one of kind, nine of the type's id
constexpr std::size_t kRdbFooterBytes = 10;  // two of RDB version, eight of checksum
// Redis 5's: RESTORE refuses what is newer than the server, and nothing here is.
constexpr std::uint16_t kRdbVersion = 9;

constexpr std::array<std::uint64_t, 256> crc_table() {
  constexpr std::uint64_t kReflected = 0x95ac9329ac4bc9b5;  // of 0xad93d23594c935a9
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    std::uint64_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 != 0 ? kReflected : 0);
    table[static_cast<std::size_t>(i)] = crc;
  }
  return table;
}

}  // namespace

std::uint64_t crc64_jones(ByteView bytes) noexcept {
  static constexpr auto kTable = crc_table();
  std::uint64_t crc = 0;
  for (const std::byte byte : bytes)
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint64_t>(byte)) & 255];
  return crc;
}

Status lzf_decompress(ByteView packed, ByteSpan out) {
  ByteReader reader{packed};
  std::size_t made = 0;
  while (reader.remaining() > 0) {
    const unsigned control = reader.le<std::uint8_t>();
    if (control < 32) {
      const ByteView literal = reader.take(control + 1);
      if (reader.failed() || literal.size() > out.size() - made) break;
      std::ranges::copy(literal, out.begin() + static_cast<std::ptrdiff_t>(made));
      made += literal.size();
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) length += reader.le<std::uint8_t>();
    length += 2;
    const std::size_t back = (std::size_t{control & 31} << 8 | reader.le<std::uint8_t>()) + 1;
    if (reader.failed() || back > made || length > out.size() - made) break;
    for (const std::size_t end = made + length; made < end; ++made) out[made] = out[made - back];
  }
  if (reader.failed() || reader.remaining() > 0 || made != out.size())
    return malformed(message("LZF data of ", packed.size(), " bytes do not unpack to ", out.size(),
                             ": they break at byte ", reader.position()));
  return ok();
}

Status RdbString::unpack(ByteSpan out) const {
  if (packed) return lzf_decompress(stored, out);
  std::ranges::copy(integer.empty() ? stored : bytes_of(integer), out.begin());
  return ok();
}

std::uint64_t module_type_id(std::string_view name, std::uint32_t version) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t id = 0;
  for (const char c : name) id = id << 6 | kAlphabet.find(c);
  return id << 10 | version;
}

void RdbModuleReader::fail(Error error) {
  if (!failed()) error_ = std::move(error);
}

Error RdbModuleReader::error() const {
  return error_ ? *error_ : reader_.truncated("a DUMP payload");
}

// The upper two bits of the first byte say how a length goes on, or that it is none.
RdbModuleReader::Length RdbModuleReader::length_or_encoding() {
  if (failed()) return {};
  const std::size_t at = reader_.position();
  const std::uint64_t first = reader_.le<std::uint8_t>();
  const std::uint64_t low = first & 63;
  if (first < 0x40) return {low, false};
  if (first < 0x80) return {low << 8 | reader_.le<std::uint8_t>(), false};
  if (first == 0x80) return {reader_.be<std::uint32_t>(), false};
  if (first == 0x81) return {reader_.be<std::uint64_t>(), false};
  if (first < 0xc0)
    fail(malformed(message("byte ", at, " of a DUMP payload begins no length: ", first)));
  return {low, true};
}

std::uint64_t RdbModuleReader::length() {
  const Length length = length_or_encoding();
  if (length.is_encoding)
    fail(malformed(message("a DUMP payload has no length before byte ", reader_.position())));
  return failed() ? 0 : length.value;
}

void RdbModuleReader::expect_opcode(std::uint64_t opcode, std::string_view what) {
  const std::size_t at = reader_.position();
  const std::uint64_t found = length();
  if (!failed() && found != opcode)
    fail(malformed(message("a DUMP payload has opcode ", found, " at byte ", at, " where ", what,
                           " (", opcode, ") belongs")));
}

std::uint64_t RdbModuleReader::unsigned_value() {
  expect_opcode(kOpcodeUnsigned, "an unsigned number");
  return length();
}

double RdbModuleReader::double_value() {
  expect_opcode(kOpcodeDouble, "a double");
  return failed() ? 0 : reader_.le<double>();
}

// Redis writes a short string that spells an integer as that integer.
RdbString RdbModuleReader::integer_string(std::uint64_t encoding) {
  const std::int32_t value = encoding == 0   ? reader_.le<std::int8_t>()
                             : encoding == 1 ? reader_.le<std::int16_t>()
                                             : reader_.le<std::int32_t>();
  std::string text = std::to_string(value);
  return {text.size(), false, {}, std::move(text)};
}

RdbString RdbModuleReader::string_value() {
  expect_opcode(kOpcodeString, "a string");
  const Length head = length_or_encoding();
  if (failed()) return {};
  if (!head.is_encoding) return {head.value, false, reader_.take(head.value), {}};
  if (head.value < 3) return integer_string(head.value);
  if (head.value > 3)
    fail(malformed(message("a DUMP payload has a string in unknown encoding ", head.value,
                           " before byte ", reader_.position())));
  const std::uint64_t packed_size = length();
  const std::uint64_t size = length();
  if (failed()) return {};
  // Three bytes of LZF make 264 at most: what claims more lies, and need not be unpacked to know.
  if (size / 264 > packed_size / 3 + 1)
    fail(malformed(message("a packed string of ", packed_size, " bytes claims to hold ", size)));
  return {size, true, reader_.take(packed_size), {}};
}

void RdbModuleReader::end() {
  expect_opcode(kOpcodeEnd, "the end");
  if (!failed() && reader_.remaining() > 0)
    fail(
        malformed(message(reader_.remaining(), " bytes follow the end of a DUMP payload's value")));
}

bool looks_like_module_payload(ByteView bytes, std::string_view type_name) {
  // The id is too large for any shorter form of a length: 0x81 and eight bytes, big-endian. Its
  // lowest ten bits are the version.
  if (bytes.size() < kTypeBytes || bytes[0] != kModuleType || bytes[1] != std::byte{0x81})
    return false;
  return load_be<std::uint64_t>(bytes.data() + 2) >> 10 == module_type_id(type_name, 0) >> 10;
}

Result<RdbModulePayload> open_module_payload(ByteView bytes, std::string_view type_name) {
  if (!looks_like_module_payload(bytes, type_name))
    return malformed(message("a DUMP payload of this kind begins with type 7 and ", type_name));
  if (bytes.size() < kTypeBytes + kRdbFooterBytes)
    return Error{ErrorCode::kTruncated,
                 message("a DUMP payload of ", bytes.size(), " bytes is too short for a value")};
  const ByteView summed = bytes.first(bytes.size() - 8);
  const auto stored = load_le<std::uint64_t>(summed.data() + summed.size());
  if (crc64_jones(summed) != stored)
    return malformed("the checksum of the DUMP payload does not match its bytes");
  RdbModuleReader reader{bytes.subspan(1, bytes.size() - 1 - kRdbFooterBytes)};
  const auto version = static_cast<std::uint32_t>(reader.length() & 1023);
  return RdbModulePayload{version, reader};
}

RdbModuleWriter::RdbModuleWriter(std::string_view type_name, std::uint32_t version) {
  writer_.le(kModuleType);
  length(module_type_id(type_name, version));
}

void RdbModuleWriter::length(std::uint64_t value) {
  if (value < 64) return writer_.le(static_cast<std::uint8_t>(value));
  if (value < 1 << 14) return writer_.be(static_cast<std::uint16_t>(0x4000 | value));
  if (value <= UINT32_MAX) {
    writer_.le(std::uint8_t{0x80});
    return writer_.be(static_cast<std::uint32_t>(value));
  }
  writer_.le(std::uint8_t{0x81});
  writer_.be(value);
}

void RdbModuleWriter::unsigned_value(std::uint64_t value) {
  length(kOpcodeUnsigned);
  length(value);
}

void RdbModuleWriter::double_value(double value) {
  length(kOpcodeDouble);
  writer_.le(value);
}

void RdbModuleWriter::string_value(ByteView bytes) {
  length(kOpcodeString);
  length(bytes.size());
  writer_.put(bytes);
}

std::vector<std::byte> RdbModuleWriter::take() {
  length(kOpcodeEnd);
  writer_.le(kRdbVersion);
  std::vector<std::byte> bytes = writer_.take();
  ByteWriter footer;
  footer.le(crc64_jones(bytes));
  const auto checksum = footer.take();
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
  return bytes;
}

}  // namespace bloomery
