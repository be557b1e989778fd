#include "bloomery/formats/redis_rdb.h"

#include <algorithm>
#include <array>

namespace bloomery {
namespace {

enum : std::uint64_t { kOpcodeEnd = 0, kOpcodeUnsigned = 2, kOpcodeDouble = 4, kOpcodeString = 5 };

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

Error malformed(std::string text) { return {ErrorCode::kMalformed, std::move(text)}; }

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
  return {size, true, reader_.take(packed_size), {}};
}

void RdbModuleReader::end() {
  expect_opcode(kOpcodeEnd, "the end");
  if (!failed() && reader_.remaining() > 0)
    fail(
        malformed(message(reader_.remaining(), " bytes follow the end of a DUMP payload's value")));
}

}  // namespace bloomery
