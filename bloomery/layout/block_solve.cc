#include "bloomery/layout/block_solve.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/request_check.h"

namespace bloomery {
namespace {

enum class BlockKind : std::uint8_t { kPlain, kSeeded, kLines };

// Every number of probes that a filter of this kind may have.
std::span<const std::uint32_t> probes_of(BlockKind kind) {
  static constexpr std::uint32_t kOneLine[] = {4, 5, 6, 7, 8};
  static constexpr std::uint32_t kLines[] = {16, 24, 32};
  if (kind == BlockKind::kLines) return kLines;
  return kOneLine;
}

Status check_block_request(const SizingRequest& request, BlockKind kind) {
  if (auto valid = internal::check_keys_and_rate(request); !valid) return valid;
  if (request.probes) {
    const auto valid = kind == BlockKind::kLines ? checked_lines(BlockShape{1, *request.probes})
                                                 : checked_one_line(BlockShape{1, *request.probes});
    if (!valid) return valid.error();
  }
  return internal::check_bits_per_key(request);
}

// What is known once bits per key have been turned into the one of keys and blocks that was
// missing.
struct Known {
  std::optional<std::uint64_t> keys;
  std::optional<std::uint64_t> blocks;
};

Result<Known> without_bits_per_key(const SizingRequest& request, bool seeded) {
  const auto asked = blocks_asked_for(request);
  if (!asked) return asked.error();
  Known known{request.keys, *asked};
  if (!request.bits_per_key || (!known.keys && !known.blocks)) return known;
  const double bits_per_key = *request.bits_per_key;
  const auto bits_of_block = static_cast<double>(BlockShape{1, 8, seeded}.bytes() * 8);
  if (known.keys && known.blocks)
    return invalid_argument(
        "the bits per key follow from the keys and the blocks: leave one of them out");
  if (known.keys) {
    const double blocks =
        std::ceil(static_cast<double>(*known.keys) * bits_per_key / bits_of_block);
    if (blocks > static_cast<double>(kMaxBlocks))
      return invalid_argument(message(*known.keys, " keys at ", bits_per_key,
                                      " bits each need more than the 2^48 bits a filter can have"));
    known.blocks = static_cast<std::uint64_t>(blocks);
  } else {
    const double keys =
        std::floor(static_cast<double>(*known.blocks) * bits_of_block / bits_per_key);
    if (!(keys >= 1 && keys < 9e18))
      return invalid_argument(message("at ", bits_per_key, " bits per key, ", *known.blocks,
                                      " blocks are for ", keys, " keys"));
    known.keys = static_cast<std::uint64_t>(keys);
  }
  return known;
}

BlockShape best_shape(std::uint64_t blocks, double keys, BlockKind kind) {
  if (kind != BlockKind::kLines) {
    const bool seeded = kind == BlockKind::kSeeded;
    return {blocks, best_block_probes(blocks, keys, seeded), seeded};
  }
  const auto rate = [&](std::uint32_t probes) {
    return expected_rate(BlockShape{blocks, probes}, keys);
  };
  return {blocks, *std::ranges::min_element(probes_of(kind), {}, rate)};
}

Result<BlockSizing> from_keys_and_blocks(Known known, const SizingRequest& request,
                                         BlockKind kind) {
  const auto keys = static_cast<double>(*known.keys);
  BlockShape shape = best_shape(*known.blocks, keys, kind);
  shape.probes = request.probes.value_or(shape.probes);
  const double rate = expected_rate(shape, keys);
  // Written the way a person rounds: what prints as the same rate is the same rate.
  if (request.rate && rate > *request.rate * 1.005)
    return invalid_argument(message(*known.keys, " keys in ", shape.blocks, " blocks with ",
                                    shape.probes, " probes have a false-positive rate of ", rate,
                                    ", which contradicts the ", *request.rate, " asked for"));
  return BlockSizing{{*known.keys, request.rate.value_or(rate)}, shape};
}

// The probes that allow the most keys, unless the request has some.
Result<BlockSizing> from_blocks_and_rate(std::uint64_t blocks, const SizingRequest& request,
                                         BlockKind kind) {
  const bool seeded = kind == BlockKind::kSeeded;
  BlockSizing best{{0, *request.rate}, {blocks, request.probes.value_or(0), seeded}};
  for (const std::uint32_t probes : probes_of(kind)) {
    if (request.probes && probes != *request.probes) continue;
    const BlockShape shape{blocks, probes, seeded};
    const std::uint64_t keys = max_keys(shape, *request.rate);
    if (keys > best.goal.keys) best = {{keys, *request.rate}, shape};
  }
  if (best.goal.keys == 0)
    return invalid_argument(
        message(blocks, " blocks cannot hold even 1 key at a rate of ", *request.rate));
  return best;
}

Result<BlockShape> shape_for(Goal goal, BlockKind kind, std::uint32_t probes) {
  if (kind == BlockKind::kLines) return lines_shape_for(goal, probes);
  return block_shape_for(goal, kind == BlockKind::kSeeded, probes);
}

Result<BlockSizing> solve_kind(const SizingRequest& request, BlockKind kind) {
  if (auto valid = check_block_request(request, kind); !valid) return valid.error();
  const auto known = without_bits_per_key(request, kind == BlockKind::kSeeded);
  if (!known) return known.error();
  if (known->keys && known->blocks) return from_keys_and_blocks(*known, request, kind);
  if (known->keys && request.rate) {
    const Goal goal{*known->keys, *request.rate};
    const auto shape = shape_for(goal, kind, request.probes.value_or(0));
    if (!shape) return shape.error();
    return BlockSizing{goal, *shape};
  }
  if (known->blocks && request.rate) return from_blocks_and_rate(*known->blocks, request, kind);
  return internal::too_few_numbers(request);
}

}  // namespace

Result<std::optional<std::uint64_t>> blocks_asked_for(const SizingRequest& request) {
  std::optional<std::uint64_t> blocks = request.blocks;
  if (auto valid = internal::check_bits(request); !valid) return valid.error();
  if (request.bits) {
    blocks = (*request.bits + block::kBlockBits - 1) / block::kBlockBits;
    if (request.blocks && *request.blocks != *blocks)
      return invalid_argument(message(*request.bits, " bits are ", *blocks,
                                      " blocks, which contradicts the ", *request.blocks,
                                      " asked for"));
  }
  if (blocks)
    if (auto valid = checked(BlockShape{*blocks, block::kMostProbes}); !valid) return valid.error();
  return blocks;
}

Result<BlockSizing> solve_block(const SizingRequest& request, bool seeded) {
  return solve_kind(request, seeded ? BlockKind::kSeeded : BlockKind::kPlain);
}

Result<BlockSizing> solve_lines(const SizingRequest& request) {
  return solve_kind(request, BlockKind::kLines);
}

}  // namespace bloomery
