#include "apps/ethlog/abi/abi_type.h"

#include <algorithm>
#include <charconv>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// The digits behind a word, without a leading zero: uint8, bytes32, [12].
std::optional<std::uint64_t> plain_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (digits.empty() || digits[0] == '0' || read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  return value;
}

Error unknown_type(std::string_view name) {
  std::string advice;
  if (name.starts_with("fixed") || name.starts_with("ufixed"))
    advice = "; fixed-point numbers have no encoding in the compilers of today";
  else if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z')
    advice = "; write address for a contract, uint8 for an enum, and (…) for a struct";
  return invalid_argument(message("unknown type '", name, "'", advice));
}

AbiType plain(AbiKind kind, std::uint32_t size) {
  AbiType type;
  type.kind = kind;
  type.size = size;
  type.dynamic = kind == AbiKind::kBytes || kind == AbiKind::kString;
  return type;
}

}  // namespace

Result<AbiType> elementary_type(std::string_view name) {
  if (name == "address") return plain(AbiKind::kAddress, 20);
  if (name == "bool") return plain(AbiKind::kBool, 1);
  if (name == "string") return plain(AbiKind::kString, 0);
  if (name == "bytes") return plain(AbiKind::kBytes, 0);
  if (name == "byte") return plain(AbiKind::kFixedBytes, 1);
  if (name == "function") return plain(AbiKind::kFunction, 24);
  if (name == "uint") return plain(AbiKind::kUint, 256);
  if (name == "int") return plain(AbiKind::kInt, 256);
  const bool is_uint = name.starts_with("uint");
  if (is_uint || name.starts_with("int")) {
    const auto bits = plain_number(name.substr(is_uint ? 4 : 3));
    if (!bits || *bits == 0 || *bits > 256 || *bits % 8 != 0) return unknown_type(name);
    return plain(is_uint ? AbiKind::kUint : AbiKind::kInt, static_cast<std::uint32_t>(*bits));
  }
  if (name.starts_with("bytes")) {
    const auto bytes = plain_number(name.substr(5));
    if (!bytes || *bytes == 0 || *bytes > 32) return unknown_type(name);
    return plain(AbiKind::kFixedBytes, static_cast<std::uint32_t>(*bytes));
  }
  return unknown_type(name);
}

Result<AbiType> array_of(AbiType element, std::optional<std::uint64_t> length) {
  AbiType type;
  type.kind = AbiKind::kArray;
  type.size = 0;
  type.length = length;
  type.dynamic = !length || element.dynamic;
  type.depth = element.depth + 1;
  const std::uint64_t words = element.head_words();
  if (length == 0) return invalid_argument("an array has at least 1 element");
  if (length && *length > kMostAbiWords / words)
    return invalid_argument(
        message("an array of ", *length, " elements is larger than a log can be"));
  type.words = length ? *length * words : 1;
  if (type.depth > kMostAbiDepth)
    return invalid_argument(message("types are nested deeper than ", kMostAbiDepth, " levels"));
  type.parts.push_back(AbiParameter{"", std::move(element)});
  return type;
}

Result<AbiType> tuple_of(std::vector<AbiParameter> members) {
  AbiType type;
  type.kind = AbiKind::kTuple;
  type.size = 0;
  type.words = 0;
  if (members.empty()) return invalid_argument("a tuple has at least 1 member");
  if (members.size() > kMostAbiParts)
    return invalid_argument(message("a tuple has at most ", kMostAbiParts, " members"));
  std::uint32_t deepest = 0;
  for (const AbiParameter& member : members) {
    type.dynamic = type.dynamic || member.type.dynamic;
    type.words += member.type.head_words();
    deepest = std::max(deepest, member.type.depth);
  }
  type.depth = deepest + 1;
  if (type.words > kMostAbiWords) return invalid_argument("a tuple is larger than a log can be");
  if (type.depth > kMostAbiDepth)
    return invalid_argument(message("types are nested deeper than ", kMostAbiDepth, " levels"));
  type.parts = std::move(members);
  return type;
}

Result<AbiType> with_array_suffix(AbiType type, std::string_view suffix) {
  while (!suffix.empty()) {
    const std::size_t end = suffix.find(']');
    if (suffix[0] != '[' || end == suffix.npos)
      return invalid_argument(message("'", suffix, "' is no array: [] or [N] is expected"));
    const std::string_view digits = suffix.substr(1, end - 1);
    std::optional<std::uint64_t> length;
    if (!digits.empty()) {
      length = digits == "0" ? std::optional<std::uint64_t>{0} : plain_number(digits);
      if (!length) return invalid_argument(message("'[", digits, "]' is no length of an array"));
    }
    auto array = array_of(std::move(type), length);
    if (!array) return array.error();
    type = std::move(*array);
    suffix.remove_prefix(end + 1);
  }
  return type;
}

void append_canonical(std::string& out, const AbiType& type) {
  switch (type.kind) {
    case AbiKind::kUint:
      out += "uint" + std::to_string(type.size);
      return;
    case AbiKind::kInt:
      out += "int" + std::to_string(type.size);
      return;
    case AbiKind::kBool:
      out += "bool";
      return;
    case AbiKind::kAddress:
      out += "address";
      return;
    case AbiKind::kFixedBytes:
      out += "bytes" + std::to_string(type.size);
      return;
    case AbiKind::kFunction:
      out += "function";
      return;
    case AbiKind::kBytes:
      out += "bytes";
      return;
    case AbiKind::kString:
      out += "string";
      return;
    case AbiKind::kArray:
      append_canonical(out, type.parts[0].type);
      out += '[';
      if (type.length) out += std::to_string(*type.length);
      out += ']';
      return;
    case AbiKind::kTuple:
      break;
  }
  char before = '(';
  for (const AbiParameter& member : type.parts) {
    out += before;
    append_canonical(out, member.type);
    before = ',';
  }
  out += ')';
}

std::string canonical_name(const AbiType& type) {
  std::string name;
  append_canonical(name, type);
  return name;
}

std::vector<std::string> written_names(const std::vector<AbiParameter>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const AbiParameter& parameter : parameters) {
    std::string name =
        parameter.name.empty() ? "arg" + std::to_string(names.size()) : parameter.name;
    while (std::find(names.begin(), names.end(), name) != names.end()) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace bloomery::ethlog
