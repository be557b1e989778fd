// Bit matrices whose rows are long: rows ANDed and ORed, and a matrix turned on its side. One
// table, one row per instruction set; tests hold every row to the definition below.
#pragma once
#include <span>
#include <string_view>

#include "bloomery/base/bytes.h"

namespace bloomery::simd {

struct BitMatrixKernels {
  std::string_view name;  // "baseline", "avx2", "avx512", "neon"

  // out = the AND of all rows, and whether any bit of it is left. Rows have any alignment; `out`
  // may be one of them. Precondition: a row.
  bool (*and_rows)(const std::byte* const* rows, std::size_t count, std::byte* out,
                   std::size_t bytes) noexcept;

  // A key is in a column if all its rows are: kept &= the OR over `keys` of the AND over `probes`
  // rows each, and whether any bit of it is left. Row j of key i is rows[i * probes + j].
  // Precondition: probes is not zero.
  bool (*keep_any)(const std::byte* const* rows, std::size_t keys, std::size_t probes,
                   std::byte* kept, std::size_t bytes) noexcept;

  // Bit c % 8 of byte c / 8 of row r becomes bit 7 - r % 8 of byte r / 8 of column c. Rows lie one
  // after the other, columns `column_stride` bytes apart; count / 8 bytes of each are written.
  // Precondition: count is a multiple of 8, row_bytes one of kRowBytesMultiple.
  void (*transpose)(const std::byte* rows, std::size_t count, std::size_t row_bytes,
                    std::byte* columns, std::size_t column_stride) noexcept;
  static constexpr std::size_t kRowBytesMultiple = 64;

  // Writes first + i, ascending, for every set bit 7 - i % 8 of byte i / 8, and returns how many.
  // `positions` has room for 8 * bytes + kPositionsSlack, for what is written and not counted.
  std::size_t (*positions)(const std::byte* bits, std::size_t bytes, std::uint64_t first,
                           std::uint64_t* positions) noexcept;
  static constexpr std::size_t kPositionsSlack = 8;
};

// All that this CPU can run, best first, "baseline" last.
std::span<const BitMatrixKernels> bit_matrix_kernels();
// The one in use, chosen as active_block_kernels() is.
const BitMatrixKernels& active_bit_matrix_kernels();

}  // namespace bloomery::simd
