// What the hash tests share: keys of all lengths and alignments, hexadecimal, SMHasher's
// verification.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/bytes.h"
#include "bloomery/base/endian.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::test {

using Bytes = std::vector<std::byte>;

// Bytes without a pattern, half of them 0x80 or more.
inline Bytes varied_bytes(std::size_t size, std::uint64_t state = 1) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

inline Bytes counted_bytes(std::size_t size) {  // 0, 1, 2, ...
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

inline Bytes bytes_from_hex(std::string_view hex) {
  if (hex.starts_with("0x")) hex.remove_prefix(2);
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(std::string{hex.substr(i, 2)}, nullptr, 16)));
  }
  return bytes;
}

inline std::string to_hex(ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    hex += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return hex;
}

inline Bytes digest_bytes(Hash128 hash) {
  Bytes bytes(16);
  store_le(bytes.data(), hash.low);
  store_le(bytes.data() + 8, hash.high);
  return bytes;
}
inline Bytes digest_bytes(std::uint64_t hash) {
  Bytes bytes(8);
  store_le(bytes.data(), hash);
  return bytes;
}
inline Bytes digest_bytes(std::uint32_t hash) {
  Bytes bytes(4);
  store_le(bytes.data(), hash);
  return bytes;
}

inline nlohmann::json golden(const std::string& name) {
  std::ifstream file{BLOOMERY_GOLDEN_DIR "/" + name};
  EXPECT_TRUE(file.good()) << name;
  return nlohmann::json::parse(file, nullptr, false);
}

// SMHasher's one-number summary of a hash: key {0, 1, .. i-1} under seed 256-i for every i, then
// the hash of all those digests under seed 0; its first four bytes.
template <class Hash>
std::uint32_t smhasher_verification(Hash hash) {
  const Bytes key = counted_bytes(256);
  Bytes digests;
  for (std::size_t i = 0; i < 256; ++i) {
    const Bytes digest =
        digest_bytes(hash(ByteView{key}.first(i), static_cast<std::uint32_t>(256 - i)));
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  return load_le<std::uint32_t>(digest_bytes(hash(digests, 0)).data());
}

// Holds `ours` to `reference` for every length up to 300: once in memory of exactly that size,
// where a sanitizer sees a byte read too many, and at each of 16 alignments amid bytes that do not
// belong.
template <class Ours, class Reference>
void expect_same_for_all_lengths(Ours ours, Reference reference) {
  const Bytes source = varied_bytes(300);
  for (std::size_t size = 0; size <= source.size(); ++size) {
    const Bytes exact(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(size));
    const auto expected = reference(ByteView{exact});
    ASSERT_EQ(ours(ByteView{exact}), expected) << size << " bytes";
    for (std::size_t offset = 0; offset < 16; ++offset) {
      Bytes amid(offset + size + 16, std::byte{0xa5});
      std::ranges::copy(exact, amid.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(ours(ByteView{amid}.subspan(offset, size)), expected)
          << size << " bytes at offset " << offset;
    }
  }
}

}  // namespace bloomery::test
