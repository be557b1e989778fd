// DATA as Ethereum writes it: 0x and two lower-case digits per byte.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"

namespace bloomery::ethlog {

std::string to_hex(ByteView bytes);
// Appends, for texts made of many such pieces.
void append_hex(std::string& out, ByteView bytes);
// The bytes of 0x (or 0X) and an even number of digits of either case; nothing for other text.
std::optional<std::vector<std::byte>> bytes_from_hex(std::string_view text);
// The same into memory that is already there: true when the text holds exactly out.size() bytes.
bool fill_from_hex(std::string_view text, ByteSpan out);

// QUANTITY: 0x and the digits of a number, of which "0x0" has one and no other begins with 0.
std::string to_quantity(std::uint64_t value);
// Leading zeros are forgiven here: some programs write them. Nothing for other text and for what
// does not fit.
std::optional<std::uint64_t> number_from_quantity(std::string_view text);
// The same for numbers of up to 32 bytes, big-endian, without leading zero bytes.
std::optional<std::vector<std::byte>> integer_from_quantity(std::string_view text);

}  // namespace bloomery::ethlog
