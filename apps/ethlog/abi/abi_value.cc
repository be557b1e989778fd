#include "apps/ethlog/abi/abi_value.h"

#include <algorithm>
#include <array>

#include "apps/ethlog/json/rpc_json.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint32_t kSmallBits = 48;
using Limbs = std::array<std::uint32_t, 8>;  // the most significant first

Limbs limbs_of(const Hash& word) {
  Limbs limbs;
  for (std::size_t i = 0; i < limbs.size(); ++i)
    limbs[i] = load_be<std::uint32_t>(word.bytes.data() + 4 * i);
  return limbs;
}

Hash word_of(const Limbs& limbs) {
  Hash word;
  for (std::size_t i = 0; i < limbs.size(); ++i) store_be(word.bytes.data() + 4 * i, limbs[i]);
  return word;
}

void negate(Limbs& limbs) {
  std::uint64_t carry = 1;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    carry += static_cast<std::uint32_t>(~limbs[i]);
    limbs[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

// Divides in place, and returns the rest.
std::uint32_t divide(Limbs& limbs, std::uint32_t by) {
  std::uint64_t rest = 0;
  for (std::uint32_t& limb : limbs) {
    rest = rest << 32 | limb;
    limb = static_cast<std::uint32_t>(rest / by);
    rest %= by;
  }
  return static_cast<std::uint32_t>(rest);
}

// False where the result does not fit.
bool multiply_and_add(Limbs& limbs, std::uint32_t by, std::uint32_t more) {
  std::uint64_t carry = more;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    carry += std::uint64_t{limbs[i]} * by;
    limbs[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return carry == 0;
}

bool is_zero(const Limbs& limbs) {
  return std::all_of(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb == 0; });
}

bool any_bit_from(const Limbs& limbs, std::uint32_t bit) {
  for (std::uint32_t at = bit; at < 256; ++at)
    if ((limbs[7 - at / 32] >> (at % 32) & 1) != 0) return true;
  return false;
}

std::optional<Limbs> digits_of(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  Limbs limbs{};
  for (const char c : text) {
    std::uint32_t digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') digit = static_cast<std::uint32_t>(c - 'A' + 10);
    const std::uint32_t base = is_hex ? 16 : 10;
    if (digit >= base || !multiply_and_add(limbs, base, digit)) return std::nullopt;
  }
  return limbs;
}

Error not_a(const AbiType& type, std::string_view wanted, std::string_view text) {
  return invalid_argument(message("'", text, "' is no ", canonical_name(type), "; give ", wanted));
}

Result<Topic> number_topic(const AbiType& type, std::string_view text) {
  const bool is_signed = type.kind == AbiKind::kInt;
  const bool negative = is_signed && text.starts_with('-');
  auto limbs = digits_of(negative ? text.substr(1) : text);
  if (!limbs) return not_a(type, "a number, decimal or 0x and digits", text);
  // The least of n bits has magnitude 2^(n-1), which the greatest has not.
  Limbs checked = *limbs;
  if (negative && !is_zero(checked)) {
    negate(checked);
    for (std::uint32_t& limb : checked) limb = ~limb;  // the magnitude less one
  }
  if (any_bit_from(checked, is_signed ? type.size - 1 : type.size))
    return invalid_argument(message("'", text, "' does not fit ", canonical_name(type)));
  if (negative) negate(*limbs);
  return word_of(*limbs);
}

Result<Topic> bytes_topic(const AbiType& type, std::string_view text) {
  const std::size_t size = type.size;
  Topic topic;
  const std::size_t begin = type.kind == AbiKind::kAddress ? 12 : 0;
  if (!fill_from_hex(text, topic.span().subspan(begin, size)))
    return not_a(type, message("0x and ", 2 * size, " hexadecimal digits"), text);
  return topic;
}

}  // namespace

ByteView AbiValue::fixed_bytes() const {
  return type->kind == AbiKind::kAddress ? word.view().subspan(12) : word.view().first(type->size);
}

std::uint64_t AbiValue::low_bits() const { return load_be<std::uint64_t>(word.bytes.data() + 24); }

bool is_small_number(const AbiType& type) {
  return (type.kind == AbiKind::kUint || type.kind == AbiKind::kInt) && type.size <= kSmallBits;
}

void append_decimal(std::string& out, const AbiValue& number) {
  Limbs limbs = limbs_of(number.word);
  if (number.type->kind == AbiKind::kInt && limbs[0] >> 31 != 0) {
    out += '-';
    negate(limbs);
  }
  std::string digits;
  do {
    std::uint32_t nine = divide(limbs, 1'000'000'000);
    const bool last = is_zero(limbs);
    for (int i = 0; last ? nine != 0 || digits.empty() : i < 9; ++i, nine /= 10)
      digits += static_cast<char>('0' + nine % 10);
  } while (!is_zero(limbs));
  out.append(digits.rbegin(), digits.rend());
}

void append_json(std::string& out, const AbiValue& value) {
  if (value.is_hash) {
    out += "{\"hash\":\"";
    append_hex(out, value.word.view());
    out += "\"}";
    return;
  }
  switch (value.type->kind) {
    case AbiKind::kUint:
    case AbiKind::kInt: {
      const char* const quote = is_small_number(*value.type) ? "" : "\"";
      out += quote;
      append_decimal(out, value);
      out += quote;
      return;
    }
    case AbiKind::kBool:
      out += value.truth() ? "true" : "false";
      return;
    case AbiKind::kAddress:
    case AbiKind::kFixedBytes:
    case AbiKind::kFunction:
    case AbiKind::kBytes:
      out += '"';
      append_hex(out, value.type->kind == AbiKind::kBytes ? value.bytes : value.fixed_bytes());
      out += '"';
      return;
    case AbiKind::kString:
      append_json_text(out,
                       {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
      return;
    case AbiKind::kArray:
      out += '[';
      for (const AbiValue& item : value.items) {
        if (&item != value.items.data()) out += ',';
        append_json(out, item);
      }
      out += ']';
      return;
    case AbiKind::kTuple:
      break;
  }
  append_json_object(out, written_names(value.type->parts), value.items);
}

void append_json_object(std::string& out, const std::vector<std::string>& names,
                        const std::vector<AbiValue>& values) {
  out += '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_json_text(out, names[i]);
    out += ':';
    append_json(out, values[i]);
  }
  out += '}';
}

Result<Topic> topic_of(const AbiType& type, std::string_view text) {
  switch (type.kind) {
    case AbiKind::kUint:
    case AbiKind::kInt:
      return number_topic(type, text);
    case AbiKind::kBool: {
      if (text != "true" && text != "false") return not_a(type, "true or false", text);
      Topic topic;
      topic.bytes[31] = static_cast<std::byte>(text == "true");
      return topic;
    }
    case AbiKind::kAddress:
    case AbiKind::kFixedBytes:
    case AbiKind::kFunction:
      return bytes_topic(type, text);
    case AbiKind::kString:
      return keccak_hash(std::as_bytes(std::span{text}));
    case AbiKind::kBytes: {
      const auto bytes = bytes_from_hex(text);
      if (!bytes) return not_a(type, "0x and hexadecimal digits", text);
      return keccak_hash(*bytes);
    }
    case AbiKind::kArray:
    case AbiKind::kTuple:
      break;
  }
  const auto hash = Topic::from_hex(text);
  if (!hash) return not_a(type, "the hash that stands in the topic: 0x and 64 digits", text);
  return *hash;
}

}  // namespace bloomery::ethlog
