#include "bloomery/hash/aes_hash.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/endian.h"
#include "bloomery/hash/arm_cpu.h"

namespace bloomery {
namespace {

constexpr std::uint8_t doubled(std::uint8_t x) {  // in GF(2^8) modulo x^8+x^4+x^3+x+1
  return static_cast<std::uint8_t>((x << 1) ^ ((x >> 7) * 0x1b));
}

// 3 generates the field's 255 non-zero members: while one walks its powers, the other walks the
// powers of 1/3 = 0xf6, and so is always the inverse.
constexpr std::array<std::uint8_t, 256> make_s_box() {
  std::array<std::uint8_t, 256> box{};
  box[0] = 0x63;
  std::uint8_t member = 1;
  std::uint8_t inverse = 1;
  do {
    member = static_cast<std::uint8_t>(member ^ doubled(member));
    inverse = static_cast<std::uint8_t>(inverse ^ (inverse << 1));
    inverse = static_cast<std::uint8_t>(inverse ^ (inverse << 2));
    inverse = static_cast<std::uint8_t>(inverse ^ (inverse << 4));
    if ((inverse & 0x80) != 0) inverse ^= 0x09;
    box[member] =
        static_cast<std::uint8_t>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                  std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
  } while (member != 1);
  return box;
}

// What a byte of row 0 adds to its column after SubBytes and MixColumns; row r adds it rotated.
constexpr std::array<std::uint32_t, 256> make_column_table() {
  constexpr std::array<std::uint8_t, 256> kBox = make_s_box();
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint32_t once = kBox[i];
    const std::uint32_t twice = doubled(kBox[i]);
    table[i] = twice | (once << 8) | (once << 16) | ((twice ^ once) << 24);
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kColumns = make_column_table();

// Column c takes row r from column c + r: that is ShiftRows.
std::uint32_t column(std::uint32_t row0, std::uint32_t row1, std::uint32_t row2,
                     std::uint32_t row3) {
  return kColumns[row0 & 0xff] ^ std::rotl(kColumns[(row1 >> 8) & 0xff], 8) ^
         std::rotl(kColumns[(row2 >> 16) & 0xff], 16) ^ std::rotl(kColumns[row3 >> 24], 24);
}

AesBlock exclusive_or(AesBlock a, AesBlock b) { return {a.low ^ b.low, a.high ^ b.high}; }

using Stripe = std::array<AesBlock, 4>;

// Precondition: 64 bytes lie at the pointer.
Stripe exclusive_or(Stripe state, const std::byte* from) {
  for (AesBlock& block : state) {
    block = exclusive_or(block, {load_le<std::uint64_t>(from), load_le<std::uint64_t>(from + 8)});
    from += sizeof(AesBlock);
  }
  return state;
}

Stripe rounds(const Stripe& state, const Stripe& round_keys) {
  Stripe next;
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = aes_round(state[i], round_keys[i]);
  return next;
}

Hash128 folded(const Stripe& state) {
  const AesBlock even = aes_round(state[0], state[2]);
  const AesBlock odd = aes_round(state[1], state[3]);
  return aes_round(aes_round(aes_round(even, odd), kAesKeys[1]), kAesKeys[2]);
}

}  // namespace

AesBlock aes_round(AesBlock state, AesBlock round_key) noexcept {
  const auto c0 = static_cast<std::uint32_t>(state.low);
  const auto c1 = static_cast<std::uint32_t>(state.low >> 32);
  const auto c2 = static_cast<std::uint32_t>(state.high);
  const auto c3 = static_cast<std::uint32_t>(state.high >> 32);
  const std::uint64_t low = column(c0, c1, c2, c3) | (std::uint64_t{column(c1, c2, c3, c0)} << 32);
  const std::uint64_t high = column(c2, c3, c0, c1) | (std::uint64_t{column(c3, c0, c1, c2)} << 32);
  return exclusive_or({low, high}, round_key);
}

Hash128 aes_hash_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  const std::uint64_t word = key ^ seed;
  const AesBlock state = exclusive_or({word, word}, kAesKeys[0]);
  return aes_round(aes_round(state, kAesKeys[1]), kAesKeys[2]);
}

Hash128 aes_hash_bytes(ByteView key, std::uint64_t seed) noexcept {
  Stripe state = kAesStripeKeys;
  for (AesBlock& block : state) block = exclusive_or(block, {seed, seed});

  // A key of exactly 64 bytes is all last stripe: the stripes before it are those with more to
  // come.
  ByteView rest = key;
  for (; rest.size() > kAesStripeBytes; rest = rest.subspan(kAesStripeBytes)) {
    state = rounds(exclusive_or(state, rest.data()), kAesStripeKeys);
    state = rounds(state, kAesStripeKeys);
  }

  std::array<std::byte, kAesStripeBytes> last{};
  std::ranges::copy(rest, last.begin());
  const std::uint64_t length = key.size() * kAesLengthFactor;
  const AesBlock length_key{length, length};
  return folded(
      rounds(exclusive_or(state, last.data()), {length_key, length_key, length_key, length_key}));
}

#if defined(__x86_64__)
// Until it is initialised the portable code answers, with the same bits.
static const bool kHasAes =
    __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("sse4.1") != 0;

Hash128 fast_aes_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  return kHasAes ? internal::aes_u64_x86(key, seed) : aes_hash_u64(key, seed);
}
Hash128 fast_aes_bytes(ByteView key, std::uint64_t seed) noexcept {
  return kHasAes ? internal::aes_bytes_x86(key, seed) : aes_hash_bytes(key, seed);
}
#elif defined(__aarch64__)
static const bool kHasAes = internal::arm_has_aes();

Hash128 fast_aes_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  return kHasAes ? internal::aes_u64_arm(key, seed) : aes_hash_u64(key, seed);
}
Hash128 fast_aes_bytes(ByteView key, std::uint64_t seed) noexcept {
  return kHasAes ? internal::aes_bytes_arm(key, seed) : aes_hash_bytes(key, seed);
}
#else
Hash128 fast_aes_u64(std::uint64_t key, std::uint64_t seed) noexcept {
  return aes_hash_u64(key, seed);
}
Hash128 fast_aes_bytes(ByteView key, std::uint64_t seed) noexcept {
  return aes_hash_bytes(key, seed);
}
#endif

}  // namespace bloomery
