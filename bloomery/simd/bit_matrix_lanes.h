// The kernels of bit matrices, written once over a plain vector type and compiled for each
// instruction set's own width. Nothing here may be compiled once and shared: it all lies in an
// unnamed namespace.
#pragma once
#include <cstring>

#include "bloomery/simd/bit_matrix_rows.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery::simd {
namespace {

// The places of the set bits of every byte, highest first.
struct BytePlaces {
  std::uint8_t at[256][8];
};
constexpr BytePlaces make_byte_places() {
  BytePlaces places{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned i = 0, count = 0; i < 8; ++i)
      if ((byte >> (7 - i) & 1) != 0) places.at[byte][count++] = static_cast<std::uint8_t>(i);
  return places;
}
inline constexpr BytePlaces kBytePlaces = make_byte_places();

// Isa::Lane is a vector of 64-bit words, Isa::Loose the same as it lies in foreign memory.
// Isa::put_byte writes eight positions, of which so many count as it returns. Isa::exchange, where
// it has one, is BitMatrix::exchange by fewer instructions.
template <class Isa>
struct BitMatrix {
  using Lane = typename Isa::Lane;
  using Loose = typename Isa::Loose;
  static constexpr std::size_t kLaneBytes = sizeof(Lane);
  static constexpr std::size_t kWords = kLaneBytes / sizeof(std::uint64_t);
  static constexpr std::size_t kTileLanes = 256 / kLaneBytes < 8 ? 256 / kLaneBytes : 8;
  static constexpr std::size_t kTileBytes = kTileLanes * kLaneBytes;

  BLOOMERY_INLINE static const Loose* at(const std::byte* from) {
    return reinterpret_cast<const Loose*>(from);
  }
  BLOOMERY_INLINE static Loose* at(std::byte* to) { return reinterpret_cast<Loose*>(to); }

  struct Tile {
    Lane lane[kTileLanes];
    BLOOMERY_INLINE void load(const std::byte* from) {
      for (std::size_t i = 0; i < kTileLanes; ++i) lane[i] = at(from)[i];
    }
    BLOOMERY_INLINE void store(std::byte* to) const {
      for (std::size_t i = 0; i < kTileLanes; ++i) at(to)[i] = lane[i];
    }
    BLOOMERY_INLINE void keep(const std::byte* row) {
      for (std::size_t i = 0; i < kTileLanes; ++i) lane[i] &= at(row)[i];
    }
    BLOOMERY_INLINE bool any() const {
      Lane all = lane[0];
      for (std::size_t i = 1; i < kTileLanes; ++i) all |= lane[i];
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < kWords; ++i) word |= all[i];
      return word != 0;
    }
  };

  static bool and_rows(const std::byte* const* rows, std::size_t count, std::byte* out,
                       std::size_t bytes) noexcept {
    bool left = false;
    std::size_t from = 0;
    for (; from + kTileBytes <= bytes; from += kTileBytes) {
      Tile tile;
      tile.load(rows[0] + from);
      for (std::size_t i = 1; i < count; ++i) tile.keep(rows[i] + from);
      tile.store(out + from);
      left |= tile.any();
    }
    for (; from < bytes; ++from) {
      std::byte kept = rows[0][from];
      for (std::size_t i = 1; i < count; ++i) kept &= rows[i][from];
      out[from] = kept;
      left |= kept != std::byte{0};
    }
    return left;
  }

  // A constant number of probes keeps the pointers of a key in registers.
  template <std::size_t kProbes>
  BLOOMERY_INLINE static void add_keys(Tile& found, const std::byte* const* rows, std::size_t keys,
                                       std::size_t probes, std::size_t from) {
    const std::size_t step = kProbes != 0 ? kProbes : probes;
    for (std::size_t key = 0; key < keys; ++key, rows += step) {
      Tile one;
      one.load(rows[0] + from);
      for (std::size_t j = 1; j < step; ++j) one.keep(rows[j] + from);
      for (std::size_t i = 0; i < kTileLanes; ++i) found.lane[i] |= one.lane[i];
    }
  }
  BLOOMERY_INLINE static std::byte byte_of_keys(const std::byte* const* rows, std::size_t keys,
                                                std::size_t probes, std::size_t from) {
    std::byte found{0};
    for (std::size_t key = 0; key < keys; ++key, rows += probes) {
      std::byte one = rows[0][from];
      for (std::size_t j = 1; j < probes; ++j) one &= rows[j][from];
      found |= one;
    }
    return found;
  }
  static bool keep_any(const std::byte* const* rows, std::size_t keys, std::size_t probes,
                       std::byte* kept, std::size_t bytes) noexcept {
    bool left = false;
    std::size_t from = 0;
    for (; from + kTileBytes <= bytes; from += kTileBytes) {
      Tile before;
      before.load(kept + from);
      if (!before.any()) continue;
      Tile found{};
      if (probes == 3)
        add_keys<3>(found, rows, keys, probes, from);
      else
        add_keys<0>(found, rows, keys, probes, from);
      for (std::size_t i = 0; i < kTileLanes; ++i) found.lane[i] &= before.lane[i];
      found.store(kept + from);
      left |= found.any();
    }
    for (; from < bytes; ++from) {
      kept[from] &= byte_of_keys(rows, keys, probes, from);
      left |= kept[from] != std::byte{0};
    }
    return left;
  }

  static constexpr std::size_t kSide = 64;  // the matrix is turned in squares, kWords at once
  struct alignas(64) Squares {
    Lane row[kSide];
  };
  // Exchanges the off-diagonal quarters of all squares of side 2 * kHalf.
  template <unsigned kHalf>
  BLOOMERY_INLINE static void exchange(Lane& low, Lane& high) {
    if constexpr (requires { Isa::template exchange<kHalf>(low, high); })
      return Isa::template exchange<kHalf>(low, high);
    constexpr std::uint64_t kMask = ~std::uint64_t{0} / ((std::uint64_t{1} << kHalf) + 1);
    const Lane moved = ((low >> kHalf) ^ high) & kMask;
    high ^= moved;
    low ^= moved << kHalf;
  }
  // Three of the six steps on eight rows, which stay in registers meanwhile.
  template <unsigned kFirst>
  BLOOMERY_INLINE static void exchange_eight(Lane (&rows)[8]) {
    for (unsigned i = 0; i < 4; ++i) exchange<kFirst>(rows[i], rows[i + 4]);
    for (unsigned i = 0; i < 8; i += 4) {
      exchange<kFirst / 2>(rows[i], rows[i + 2]);
      exchange<kFirst / 2>(rows[i + 1], rows[i + 3]);
    }
    for (unsigned i = 0; i < 8; i += 2) exchange<kFirst / 4>(rows[i], rows[i + 1]);
  }
  // Row r is taken for r ^ 7: so the bits of each byte come out highest first.
  BLOOMERY_INLINE static void turn(const std::byte* rows, std::size_t count, std::size_t row_bytes,
                                   Squares& squares) {
    for (std::size_t i = 0; i < 8; ++i) {
      Lane eight[8];
      for (std::size_t j = 0; j < 8; ++j) {
        const std::size_t row = (i + 8 * j) ^ 7;
        eight[j] = row < count ? Lane{*at(rows + row * row_bytes)} : Lane{};
      }
      exchange_eight<32>(eight);
      for (std::size_t j = 0; j < 8; ++j) squares.row[i + 8 * j] = eight[j];
    }
    for (std::size_t i = 0; i < kSide; i += 8) {
      Lane eight[8];
      for (std::size_t j = 0; j < 8; ++j) eight[j] = squares.row[i + j];
      exchange_eight<4>(eight);
      for (std::size_t j = 0; j < 8; ++j) squares.row[i + j] = eight[j];
    }
  }
  BLOOMERY_INLINE static void put(const Squares& squares, std::size_t bytes, std::byte* columns,
                                  std::size_t stride) {
    const auto* words = reinterpret_cast<const std::byte*>(&squares);
    for (std::size_t word = 0; word < kWords; ++word)
      for (std::size_t i = 0; i < kSide; ++i, columns += stride) {
        const std::byte* from = words + (i * kWords + word) * 8;
        if (bytes == 8)
          std::memcpy(columns, from, 8);
        else
          std::memcpy(columns, from, bytes);
      }
  }
  // Columns outside, rows inside: the lines of one group of columns stay in the cache.
  static void transpose(const std::byte* rows, std::size_t count, std::size_t row_bytes,
                        std::byte* columns, std::size_t column_stride) noexcept {
    Squares squares;
    for (std::size_t column = 0; column < row_bytes; column += kLaneBytes)
      for (std::size_t row = 0; row < count; row += kSide) {
        const std::size_t here = count - row < kSide ? count - row : kSide;
        turn(rows + row * row_bytes + column, here, row_bytes, squares);
        put(squares, here / 8, columns + column * 8 * column_stride + row / 8, column_stride);
      }
  }

  // From here on, looking at all eight places of a byte costs less than finding those that are set.
  static constexpr int kManyOnes = 10;
  // Highest bit first. From the last to the first: the lowest bit is the cheapest to find.
  BLOOMERY_INLINE static std::size_t put_few(std::uint64_t word, std::uint64_t first,
                                             std::uint64_t* positions) {
    const auto count = static_cast<std::size_t>(__builtin_popcountll(word));
    for (std::size_t at = count; word != 0; word &= word - 1)
      positions[--at] = first + 63 - static_cast<unsigned>(__builtin_ctzll(word));
    return count;
  }
  static std::size_t positions(const std::byte* bits, std::size_t bytes, std::uint64_t first,
                               std::uint64_t* positions) noexcept {
    std::uint64_t* next = positions;
    for (std::size_t at = 0; at < bytes; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bits + at, bytes - at < 8 ? bytes - at : 8);
      if (word == 0) continue;
      word = __builtin_bswap64(word);
      if (__builtin_popcountll(word) < kManyOnes)
        next += put_few(word, first + 8 * at, next);
      else
        for (unsigned i = 0; i < 8; ++i)
          next += Isa::put_byte(static_cast<std::uint8_t>(word >> (56 - 8 * i)),
                                first + 8 * (at + i), next);
    }
    return static_cast<std::size_t>(next - positions);
  }

  static constexpr BitMatrixKernels kernels(std::string_view name) {
    return {name, and_rows, keep_any, transpose, positions};
  }
};

}  // namespace
}  // namespace bloomery::simd
