// Golden data made by running the real peers, and the four things each case checks: decoding then
// encoding gives the same bytes; building from its keys gives the same bytes; every key may be
// contained; and for absent keys our answers equal theirs, false positives included.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::testing {

using Bytes = std::vector<std::byte>;

inline unsigned hex_digit(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
}
inline Bytes from_hex(const std::string& hex) {  // "-" is the empty string
  Bytes bytes;
  if (hex == "-") return bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1])));
  return bytes;
}
inline Bytes from_0x(const std::string& hex) { return from_hex(hex.substr(2)); }
inline std::string to_hex(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::byte b : bytes) {
    hex += kDigits[static_cast<unsigned>(b) >> 4];
    hex += kDigits[static_cast<unsigned>(b) & 15];
  }
  return hex;
}
inline nlohmann::json golden_json(const std::string& name) {
  std::ifstream file{BLOOMERY_GOLDEN_DIR "/" + name};
  EXPECT_TRUE(file) << "missing golden file " << name;
  return nlohmann::json::parse(file);
}

// Checks one case of a filter with hexadecimal keys. decode: bytes -> Result<F>; encode: F -> Bytes
// (or Result<Bytes>); empty: an empty F made from the case's params.
template <class F, class Decode, class Encode>
void check_golden(const nlohmann::json& one, F empty, Decode decode, Encode encode) {
  SCOPED_TRACE(one.at("id").get<std::string>());
  const Bytes expected = from_hex(one.at("bytes_hex").get<std::string>());
  auto decoded = decode(ByteView{expected});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(to_hex(encode(*decoded)), to_hex(expected)) << "decode then encode";
  for (const auto& key : one.at("keys")) empty.insert(from_hex(key.get<std::string>()));
  EXPECT_EQ(to_hex(encode(empty)), to_hex(expected)) << "rebuilt from keys";
  for (const auto& key : one.at("keys"))
    EXPECT_TRUE(decoded->may_contain(from_hex(key.get<std::string>()))) << key;
  for (const auto& answer : one.at("answers"))
    EXPECT_EQ(decoded->may_contain(from_hex(answer.at(0).get<std::string>())),
              answer.at(1).get<int>() == 1)
        << answer.at(0);
}

}  // namespace bloomery::testing
