// The names of funnels, as the command line spells them and as the header of our own file numbers
// them.
#pragma once
#include <cstdint>
#include <optional>

#include "bloomery/funnel/funnel.h"

namespace bloomery {

// Ids are on disk for ever: new ones are added, none is reused.
enum class FunnelName : std::uint16_t {
  kBytes = 0,
  kUtf16 = 1,
  kI32 = 2,
  kI64 = 3,
  kU64 = 4,  // handed to the hash profile as a number, not as bytes
  kI8 = 5,
  kI16 = 6,
  kF32 = 7,
  kF64 = 8,
  kBool = 9,
  kJson = 10,      // since 0.2: a JSON value with its types, as put_json_key encodes it
  kUser = 0xffff,  // only the program that made the filter can convert its keys
};

std::optional<FunnelName> find_funnel(
    std::string_view name);                       // kUser is never found: it is no choice
std::string_view funnel_name(FunnelName funnel);  // "unknown" for a number that is none of them

// What a file says of the funnel F.
template <Funnel F>
inline constexpr FunnelName kFunnelName = FunnelName::kUser;
template <>
inline constexpr FunnelName kFunnelName<BytesFunnel> = FunnelName::kBytes;
template <>
inline constexpr FunnelName kFunnelName<Utf8Funnel> = FunnelName::kBytes;
template <>
inline constexpr FunnelName kFunnelName<Utf16ToUtf8Funnel> = FunnelName::kBytes;
template <>
inline constexpr FunnelName kFunnelName<Utf16Funnel> = FunnelName::kUtf16;
template <>
inline constexpr FunnelName kFunnelName<I8Funnel> = FunnelName::kI8;
template <>
inline constexpr FunnelName kFunnelName<I16Funnel> = FunnelName::kI16;
template <>
inline constexpr FunnelName kFunnelName<I32Funnel> = FunnelName::kI32;
template <>
inline constexpr FunnelName kFunnelName<I64Funnel> = FunnelName::kI64;
template <>
inline constexpr FunnelName kFunnelName<U64Funnel> = FunnelName::kU64;
template <>
inline constexpr FunnelName kFunnelName<F32Funnel> = FunnelName::kF32;
template <>
inline constexpr FunnelName kFunnelName<F64Funnel> = FunnelName::kF64;
template <>
inline constexpr FunnelName kFunnelName<BoolFunnel> = FunnelName::kBool;

}  // namespace bloomery
