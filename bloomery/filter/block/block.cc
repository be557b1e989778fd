#include "bloomery/filter/block/block.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "bloomery/base/endian.h"
#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/base/out_of_memory.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/filter/classic/bit_array.h"

namespace bloomery {
namespace {

// A number of blocks whose bytes could not even be counted fits in no memory either.
std::size_t bytes_for(BlockShape shape) {
  if (shape.blocks > kMaxBlocks) out_of_memory();
  return memory_bytes(shape.bytes());
}

void or_block(std::byte* into, const std::byte* from) {
  for (std::size_t i = 0; i < block::kBlockBytes; i += sizeof(std::uint64_t))
    store_le(into + i, load_le<std::uint64_t>(into + i) | load_le<std::uint64_t>(from + i));
}

}  // namespace

Result<BlockFilter> BlockFilter::for_goal(Goal goal, const KeyHash& hash,
                                          std::pmr::memory_resource* memory) {
  const auto shape = block_shape_for(goal);
  if (!shape) return shape.error();
  BlockFilter filter{*shape, hash, memory};
  filter.provenance_.goal = goal;
  return filter;
}

Result<BlockFilter> BlockFilter::lines_for_goal(Goal goal, const KeyHash& hash,
                                                std::pmr::memory_resource* memory) {
  const auto shape = lines_shape_for(goal);
  if (!shape) return shape.error();
  BlockFilter filter{*shape, hash, memory};
  filter.provenance_.goal = goal;
  return filter;
}

BlockFilter::BlockFilter(BlockShape shape, const KeyHash& hash, std::pmr::memory_resource* memory)
    : buffer_{bytes_for(usable(shape)), memory}, view_{usable(shape), buffer_.span(), hash} {}

void BlockFilter::reset() {
  clear_bits(buffer_.span().first(view_.blocks().size()));
  if (provenance_.keys_inserted) provenance_.keys_inserted = 0;
  added_ = 0;
  has_uncounted_ = false;
  view_.stop_adding();
}

void BlockFilter::add_apart(ByteView key) {
  has_uncounted_ = true;
  view_.start_adding();
  (void)view_.insert(key);
}

void BlockFilter::add_apart(std::uint64_t key) {
  has_uncounted_ = true;
  view_.start_adding();
  (void)view_.insert(key);
}

Status BlockFilter::merge(const BlockFilter& other) {
  if (auto same = same_kind(other); !same) return same;
  or_bits(buffer_.span().first(view_.blocks().size()), other.view_.blocks());
  set_provenance({provenance_.goal,
                  sum_of_keys(provenance().keys_inserted, other.provenance().keys_inserted)});
  return ok();
}

Status BlockFilter::intersect(const BlockFilter& other) {
  if (auto same = same_kind(other); !same) return same;
  and_bits(buffer_.span().first(view_.blocks().size()), other.view_.blocks());
  if (provenance_.keys_inserted)
    set_provenance(
        {provenance_.goal, static_cast<std::uint64_t>(std::llround(health().estimated_keys))});
  return ok();
}

Result<bool> BlockFilter::is_subset_of(const BlockFilter& other) const {
  if (auto same = same_kind(other); !same) return same.error();
  return bits_subset(view_.blocks(), other.view_.blocks());
}

Result<BlockFilter> BlockFilter::fold(std::uint64_t factor) const {
  const BlockShape from = block_shape();
  if (from.seeded)
    return invalid_argument(
        "a seeded filter cannot be folded: neighbouring blocks find their bits in "
        "different windows; build it anew with fewer bits");
  if (factor == 0 || from.blocks % factor != 0)
    return invalid_argument(message("a filter of ", from.blocks, " blocks cannot be folded by ",
                                    factor, ": the result must have whole blocks"));
  BlockFilter folded{{from.blocks / factor, from.probes}, hash(), buffer_.memory()};
  folded.provenance_ = provenance();
  std::byte* into = folded.buffer_.span().data();
  const std::byte* block = buffer_.view().data();
  for (std::uint64_t i = 0; i < folded.block_shape().blocks; ++i, into += block::kBlockBytes)
    for (std::uint64_t j = 0; j < factor; ++j, block += block::kBlockBytes) or_block(into, block);
  return folded;
}

BlockFilter BlockFilter::clone() const {
  BlockFilter copy{{1, block_shape().probes}, hash()};
  copy.provenance_ = provenance();
  copy.buffer_ = buffer_.clone();
  copy.view_ = {block_shape(), copy.buffer_.span(), hash()};
  return copy;
}

bool operator==(const BlockFilter& a, const BlockFilter& b) {
  return a.block_shape() == b.block_shape() && a.hash() == b.hash() &&
         std::ranges::equal(a.bytes(), b.bytes());
}

Health BlockFilter::health() const {
  return block_health(block_shape(), view_.blocks(), provenance_.goal);
}

// At least what was counted: an estimate may be lower.
std::optional<std::uint64_t> BlockFilter::estimated_keys_inserted() const {
  const auto counted = sum_of_keys(provenance_.keys_inserted, added_);
  if (!counted) return counted;
  return std::max(*counted, static_cast<std::uint64_t>(std::llround(health().estimated_keys)));
}

Status BlockFilter::same_kind(const BlockFilter& other) const {
  const BlockShape a = block_shape();
  const BlockShape b = other.block_shape();
  if (a.blocks != b.blocks || a.probes != b.probes)
    return invalid_argument(message("the filters differ in shape: ", a.blocks, " blocks and ",
                                    a.probes, " probes against ", b.blocks, " and ", b.probes,
                                    "; make both for the same number of keys and the same rate"));
  if (!(hash() == other.hash())) {
    const std::string_view mine = profile_name(hash().hasher.profile());
    const std::string_view theirs = profile_name(other.hash().hasher.profile());
    return invalid_argument(
        mine != theirs ? message("the filters hash differently: ", mine, " against ", theirs)
                       : message("the filters hash differently: both with ", mine,
                                 ", but with another seed, key or funnel"));
  }
  if (!std::ranges::equal(view_.seeds(), other.view_.seeds()))
    return invalid_argument(
        "the filters chose different windows for their blocks (they are seeded): only "
        "filters with equal seeds can be merged, intersected or compared");
  return ok();
}

}  // namespace bloomery
