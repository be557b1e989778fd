// A decoded value of an event, and its texts.
#pragma once
#include "apps/ethlog/abi/event.h"

namespace bloomery::ethlog {

// Views the log and the event that it was decoded from; valid as long as these are.
struct AbiValue {
  const AbiType* type = nullptr;
  bool is_hash = false;         // an indexed value of a dynamic type: its log holds its hash only
  Hash word = {};               // of numbers, booleans, addresses, fixed bytes; and the hash
  ByteView bytes = {};          // of bytes and strings
  std::vector<AbiValue> items;  // of arrays and tuples

  // Precondition: !is_hash, and of its kind.
  ByteView fixed_bytes() const;  // address, function or fixed bytes, without padding
  bool truth() const { return word.bytes[31] != std::byte{0}; }
  std::uint64_t low_bits() const;  // of a number: exact where its type has at most 64 bits
};

// Whether a number of this type is exact in every reader of JSON: at most 48 bits.
bool is_small_number(const AbiType& type);

// Decimal digits of a number, with its sign.
void append_decimal(std::string& out, const AbiValue& number);

// JSON. Numbers of up to 48 bits are numbers, others texts of decimal digits: it depends on the
// type and not on the value. Addresses and bytes are 0x and digits, tuples objects, arrays lists,
// and what is known by its hash only is {"hash":"0x…"}.
void append_json(std::string& out, const AbiValue& value);
// {"from":"0x…",…}: the names are written_names of the parameters.
void append_json_object(std::string& out, const std::vector<std::string>& names,
                        const std::vector<AbiValue>& values);

// The word that a log has as topic of an indexed argument with this value. Numbers are decimal or
// 0x and digits; of bytes and strings the hash is made; of arrays and tuples the hash itself is
// taken.
Result<Topic> topic_of(const AbiType& type, std::string_view text);

}  // namespace bloomery::ethlog
