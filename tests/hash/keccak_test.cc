#include "bloomery/hash/keccak.h"

#include <bit>

#include "tests/hash/hash_inputs.h"

namespace bloomery {
namespace {

using Lanes = std::array<std::uint64_t, 25>;  // lane (x, y) at x + 5 * y

void slow_theta(Lanes& a) {
  std::array<std::uint64_t, 5> parity{};
  for (std::size_t i = 0; i < 25; ++i) parity[i % 5] ^= a[i];
  for (std::size_t i = 0; i < 25; ++i) {
    a[i] ^= parity[(i + 4) % 5] ^ std::rotl(parity[(i + 1) % 5], 1);
  }
}

// rho and pi: along the walk (x, y) -> (y, 2x + 3y) from (1, 0), step t turns by (t+1)(t+2)/2.
void slow_rho_and_pi(Lanes& a) {
  std::size_t x = 1;
  std::size_t y = 0;
  std::uint64_t carried = a[1];
  for (int t = 0; t < 24; ++t) {
    const std::size_t next_y = (2 * x + 3 * y) % 5;
    x = y;
    y = next_y;
    const std::uint64_t turned = std::rotl(carried, (t + 1) * (t + 2) / 2 % 64);
    carried = a[x + 5 * y];
    a[x + 5 * y] = turned;
  }
}

void slow_chi(Lanes& a) {
  const Lanes b = a;
  for (std::size_t i = 0; i < 25; ++i) {
    const std::size_t row = i / 5 * 5;
    a[i] = b[i] ^ (~b[row + (i + 1) % 5] & b[row + (i + 2) % 5]);
  }
}

void slow_permutation(Lanes& a) {
  std::uint8_t feedback = 1;  // the linear feedback register x^8+x^6+x^5+x^4+1 that makes iota
  for (int round = 0; round < 24; ++round) {
    slow_theta(a);
    slow_rho_and_pi(a);
    slow_chi(a);
    for (int j = 0; j <= 6; ++j) {
      if ((feedback & 1) != 0) a[0] ^= std::uint64_t{1} << ((1 << j) - 1);
      feedback = static_cast<std::uint8_t>((feedback << 1) ^ ((feedback >> 7) * 0x71));
    }
  }
}

std::array<std::byte, 32> slow_keccak256(ByteView key) {
  constexpr std::size_t kRate = 136;
  test::Bytes padded(key.begin(), key.end());
  padded.resize((key.size() / kRate + 1) * kRate);
  padded[key.size()] ^= std::byte{0x01};
  padded.back() ^= std::byte{0x80};
  Lanes lanes{};
  for (std::size_t i = 0; i < padded.size(); ++i) {
    lanes[i % kRate / 8] ^= std::to_integer<std::uint64_t>(padded[i]) << (8 * (i % 8));
    if (i % kRate == kRate - 1) slow_permutation(lanes);
  }
  std::array<std::byte, 32> digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::byte>(lanes[i / 8] >> (8 * (i % 8)));
  }
  return digest;
}

TEST(Keccak, MatchesTheGoldenDigests) {
  const nlohmann::json cases = test::golden("ethereum/keccak256.json")["cases"];
  ASSERT_EQ(cases.size(), 31u);
  for (const nlohmann::json& one : cases) {
    const test::Bytes key = test::bytes_from_hex(one["input"].get<std::string>());
    EXPECT_EQ("0x" + test::to_hex(keccak256(key)), one["keccak256"].get<std::string>())
        << one["note"];
  }
}

TEST(Keccak, IsNotSha3) {
  EXPECT_EQ(test::to_hex(keccak256({})),
            "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  EXPECT_NE(test::to_hex(keccak256({})),
            "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
}

TEST(Keccak, EqualsTheSlowReference) {
  test::expect_same_for_all_lengths([](ByteView key) { return keccak256(key); },
                                    [](ByteView key) { return slow_keccak256(key); });
}

}  // namespace
}  // namespace bloomery
