#include "apps/ethlog/model/block_numbers.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kPieceBytes = 512;
using Positions =
    std::array<std::uint64_t, 8 * kPieceBytes + simd::BitMatrixKernels::kPositionsSlack>;

}  // namespace

void append_blocks(ByteSpan bits, std::uint64_t section_start, std::uint64_t first,
                   std::uint64_t last, std::vector<std::uint64_t>& blocks) {
  assert(section_start <= first && first <= last && last - section_start < 8 * bits.size());
  const auto begin = static_cast<std::size_t>(first - section_start);
  const auto end = static_cast<std::size_t>(last - section_start);
  bits[begin / 8] &= std::byte{0xff} >> (begin % 8);
  bits[end / 8] &= std::byte{0xff} << (7 - end % 8);
  const simd::BitMatrixKernels& kernels = simd::active_bit_matrix_kernels();
  Positions positions;
  for (std::size_t at = begin / 8; at <= end / 8; at += kPieceBytes) {
    const std::size_t bytes = std::min(kPieceBytes, end / 8 + 1 - at);
    const std::size_t count =
        kernels.positions(bits.data() + at, bytes, section_start + 8 * at, positions.data());
    blocks.insert(blocks.end(), positions.data(), positions.data() + count);
  }
}

}  // namespace bloomery::ethlog
