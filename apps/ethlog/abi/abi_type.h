// The types of an event's arguments, as Solidity's contract ABI defines them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::ethlog {

enum class AbiKind : std::uint8_t {
  kUint,
  kInt,
  kBool,
  kAddress,
  kFixedBytes,  // bytes1 to bytes32
  kFunction,    // an address and a selector, 24 bytes
  kBytes,
  kString,
  kArray,
  kTuple,
};

struct AbiParameter;

// Made by the functions below only, which bound its depth and its size.
struct AbiType {
  AbiKind kind = AbiKind::kUint;
  std::uint32_t size = 256;                  // bits of a number, bytes of fixed bytes
  std::optional<std::uint64_t> length = {};  // of an array; none: any number of elements
  std::vector<AbiParameter> parts;           // the element of an array, members of a tuple
  bool dynamic = false;                      // its head is an offset
  std::uint64_t words = 1;                   // of 32 bytes, where it is not dynamic
  std::uint32_t depth = 1;                   // of the types within it, itself included
  std::uint64_t head_words() const { return dynamic ? 1 : words; }
};

struct AbiParameter {
  std::string name;  // empty: none was given
  AbiType type;
  bool indexed = false;
};

inline constexpr std::uint32_t kMostAbiDepth = 16;
inline constexpr std::uint64_t kMostAbiWords = std::uint64_t{1} << 26;  // of a static type
inline constexpr std::size_t kMostAbiParts = 1024;                      // of one tuple or event

// A type without parts: uint8, address, bytes. The aliases uint, int and byte are taken.
Result<AbiType> elementary_type(std::string_view name);
Result<AbiType> array_of(AbiType element, std::optional<std::uint64_t> length);
Result<AbiType> tuple_of(std::vector<AbiParameter> members);
// The array types that a suffix such as "[2][]" makes of a type.
Result<AbiType> with_array_suffix(AbiType type, std::string_view suffix);

// As the ABI spells it: (uint256,string)[2][].
void append_canonical(std::string& out, const AbiType& type);
std::string canonical_name(const AbiType& type);

// The names under which arguments or members are written: one without a name is called by its place
// (arg0), and where two have the same name, an underscore follows that of the later one.
std::vector<std::string> written_names(const std::vector<AbiParameter>& parameters);

}  // namespace bloomery::ethlog
