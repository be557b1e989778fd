#include "bloomery/hash/blake2b.h"

#include <bit>
#include <cstring>

#include "bloomery/base/endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kMessageBlock = 128;
constexpr std::array<std::uint64_t, 8> kBlakeStart = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
// The order of the message's words in each round; the last two rounds are the first two again.
constexpr std::uint8_t kWordOrder[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

using BlakeState = std::array<std::uint64_t, 8>;

void mix_words(std::uint64_t* v, int a, int b, int c, int d, std::uint64_t x, std::uint64_t y) {
  v[a] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

// `total`: the bytes of the message up to the end of this block.
void compress(BlakeState& state, const std::byte* block, std::uint64_t total, bool is_last) {
  std::uint64_t m[16];
  for (int i = 0; i < 16; ++i) m[i] = load_le<std::uint64_t>(block + 8 * i);
  std::uint64_t v[16];
  for (int i = 0; i < 8; ++i) {
    v[i] = state[static_cast<std::size_t>(i)];
    v[i + 8] = kBlakeStart[static_cast<std::size_t>(i)];
  }
  v[12] ^= total;
  if (is_last) v[14] = ~v[14];
  for (int round = 0; round < 12; ++round) {
    const std::uint8_t* order = kWordOrder[round % 10];
    for (int i = 0; i < 4; ++i)  // columns
      mix_words(v, i, i + 4, i + 8, i + 12, m[order[2 * i]], m[order[2 * i + 1]]);
    for (int i = 0; i < 4; ++i)  // diagonals
      mix_words(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[order[2 * i + 8]],
                m[order[2 * i + 9]]);
  }
  for (int i = 0; i < 8; ++i) state[static_cast<std::size_t>(i)] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::array<std::byte, 32> blake2b_256(ByteView message) noexcept {
  BlakeState state = kBlakeStart;
  std::array<std::byte, 32> digest;
  state[0] ^= 0x01010000 ^ digest.size();
  std::uint64_t total = 0;
  for (; message.size() > kMessageBlock; message = message.subspan(kMessageBlock)) {
    total += kMessageBlock;
    compress(state, message.data(), total, false);
  }
  std::array<std::byte, kMessageBlock> last{};
  if (!message.empty()) std::memcpy(last.data(), message.data(), message.size());
  compress(state, last.data(), total + message.size(), true);
  for (std::size_t i = 0; i < 4; ++i) store_le(digest.data() + 8 * i, state[i]);
  return digest;
}

}  // namespace bloomery
