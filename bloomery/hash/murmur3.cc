#include "bloomery/hash/murmur3.h"

#include <bit>

#include "bloomery/base/endian.h"
#include "bloomery/hash/partial_load.h"

namespace bloomery {
namespace {

using internal::load_le_partial;

constexpr std::size_t kMurmurBlockBytes = 16;

// --- x64: two 64-bit words -------------------------------------------------------------------

struct Words64 {
  std::uint64_t first;
  std::uint64_t second;
};

constexpr std::uint64_t kFirst64 = 0x87c37b91114253d5;
constexpr std::uint64_t kSecond64 = 0x4cf5ad432745937f;

std::uint64_t scrambled_first(std::uint64_t word) {
  return std::rotl(word * kFirst64, 31) * kSecond64;
}
std::uint64_t scrambled_second(std::uint64_t word) {
  return std::rotl(word * kSecond64, 33) * kFirst64;
}

Words64 mixed(Words64 state, Words64 block) {
  state.first ^= scrambled_first(block.first);
  state.first = (std::rotl(state.first, 27) + state.second) * 5 + 0x52dce729;
  state.second ^= scrambled_second(block.second);
  state.second = (std::rotl(state.second, 31) + state.first) * 5 + 0x38495ab5;
  return state;
}

Words64 mixed_full_blocks(Words64 state, ByteView key) {
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / kMurmurBlockBytes; left > 0;
       --left, from += kMurmurBlockBytes) {
    state = mixed(state, {load_le<std::uint64_t>(from), load_le<std::uint64_t>(from + 8)});
  }
  return state;
}

Words64 tail_words(ByteView key) {
  const std::size_t size = key.size() % kMurmurBlockBytes;
  const std::byte* from = key.data() + (key.size() - size);
  if (size < 8) return {load_le_partial(from, size), 0};
  return {load_le<std::uint64_t>(from), load_le_partial(from + 8, size - 8)};
}

std::uint64_t avalanched(std::uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
  return word ^ (word >> 33);
}

// An absent tail word is zero, and zero scrambles to zero: no case for it.
Hash128 finished(Words64 state, Words64 tail, std::uint64_t key_bytes) {
  state.first ^= scrambled_first(tail.first) ^ key_bytes;
  state.second ^= scrambled_second(tail.second) ^ key_bytes;
  state.first += state.second;
  state.second += state.first;
  state.first = avalanched(state.first);
  state.second = avalanched(state.second);
  state.first += state.second;
  state.second += state.first;
  return {state.first, state.second};
}

// --- x86: four 32-bit words ------------------------------------------------------------------

struct Words32 {
  std::uint32_t a, b, c, d;
};

constexpr std::uint32_t kA32 = 0x239b961b;
constexpr std::uint32_t kB32 = 0xab0e9789;
constexpr std::uint32_t kC32 = 0x38b34ae5;
constexpr std::uint32_t kD32 = 0xa1e38b93;

Words32 scrambled(Words32 block) {
  return {std::rotl(block.a * kA32, 15) * kB32, std::rotl(block.b * kB32, 16) * kC32,
          std::rotl(block.c * kC32, 17) * kD32, std::rotl(block.d * kD32, 18) * kA32};
}

Words32 mixed(Words32 state, Words32 block) {
  const Words32 word = scrambled(block);
  state.a = (std::rotl(state.a ^ word.a, 19) + state.b) * 5 + 0x561ccd1b;
  state.b = (std::rotl(state.b ^ word.b, 17) + state.c) * 5 + 0x0bcaa747;
  state.c = (std::rotl(state.c ^ word.c, 15) + state.d) * 5 + 0x96cd1c35;
  state.d = (std::rotl(state.d ^ word.d, 13) + state.a) * 5 + 0x32ac3b17;
  return state;
}

Words32 split(Words64 words) {
  return {static_cast<std::uint32_t>(words.first), static_cast<std::uint32_t>(words.first >> 32),
          static_cast<std::uint32_t>(words.second), static_cast<std::uint32_t>(words.second >> 32)};
}

std::uint32_t avalanched(std::uint32_t word) {
  word = (word ^ (word >> 16)) * 0x85ebca6b;
  word = (word ^ (word >> 13)) * 0xc2b2ae35;
  return word ^ (word >> 16);
}

Words32 summed(Words32 state) {
  state.a += state.b + state.c + state.d;
  return {state.a, state.b + state.a, state.c + state.a, state.d + state.a};
}

Hash128 finished(Words32 state, Words32 tail, std::uint32_t key_bytes) {
  const Words32 word = scrambled(tail);
  state = summed({state.a ^ word.a ^ key_bytes, state.b ^ word.b ^ key_bytes,
                  state.c ^ word.c ^ key_bytes, state.d ^ word.d ^ key_bytes});
  state =
      summed({avalanched(state.a), avalanched(state.b), avalanched(state.c), avalanched(state.d)});
  return {state.a | (std::uint64_t{state.b} << 32), state.c | (std::uint64_t{state.d} << 32)};
}

}  // namespace

Hash128 murmur3_x64_128(ByteView key, std::uint64_t seed) noexcept {
  return finished(mixed_full_blocks({seed, seed}, key), tail_words(key), key.size());
}

Murmur3Twice murmur3_x64_128_twice(ByteView key, std::byte suffix) noexcept {
  const Words64 state = mixed_full_blocks({0, 0}, key);
  const Words64 tail = tail_words(key);
  const std::size_t tail_bytes = key.size() % kMurmurBlockBytes;

  Words64 longer = tail;
  const std::uint64_t placed = std::to_integer<std::uint64_t>(suffix) << (8 * (tail_bytes % 8));
  (tail_bytes < 8 ? longer.first : longer.second) |= placed;

  const Hash128 plain = finished(state, tail, key.size());
  if (tail_bytes + 1 == kMurmurBlockBytes) {
    return {plain, finished(mixed(state, longer), {0, 0}, key.size() + 1)};
  }
  return {plain, finished(state, longer, key.size() + 1)};
}

Hash128 murmur3_x86_128(ByteView key, std::uint32_t seed) noexcept {
  Words32 state{seed, seed, seed, seed};
  const std::byte* from = key.data();
  for (std::size_t left = key.size() / kMurmurBlockBytes; left > 0;
       --left, from += kMurmurBlockBytes) {
    state = mixed(state, split({load_le<std::uint64_t>(from), load_le<std::uint64_t>(from + 8)}));
  }
  return finished(state, split(tail_words(key)), static_cast<std::uint32_t>(key.size()));
}

}  // namespace bloomery
