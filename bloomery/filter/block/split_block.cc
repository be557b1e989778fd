#include "bloomery/filter/block/split_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/classic/bit_array.h"

namespace bloomery {
namespace {

using split_block::kBlockBytes;
using split_block::kWordsPerBlock;
using Block = std::array<std::uint32_t, kWordsPerBlock>;

constexpr std::size_t kFetchedAhead = 32;  // hashes whose blocks are fetched ahead
constexpr std::uint64_t kSampledFromBytes = std::uint64_t{64} << 20;

Block mask_of(std::uint64_t hash) {
  Block mask;
  for (std::uint32_t i = 0; i < kWordsPerBlock; ++i) mask[i] = split_block::word_mask(hash, i);
  return mask;
}

bool set_in(std::byte* at, const Block& mask) {
  auto block = load_le<Block>(at);
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < kWordsPerBlock; ++i) {
    missing |= mask[i] & ~block[i];
    block[i] |= mask[i];
  }
  store_le(at, block);
  return missing != 0;
}

bool all_in(const std::byte* at, const Block& mask) {
  const auto block = load_le<Block>(at);
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < kWordsPerBlock; ++i) missing |= mask[i] & ~block[i];
  return missing == 0;
}

// The chance that an absent key passes this block.
double pass_rate(const Block& block) {
  double rate = 1;
  for (const std::uint32_t word : block) rate *= std::popcount(word) / 32.0;
  return rate;
}

// Visits hashes in groups, each with the places of its blocks, already being fetched.
template <bool kForWriting, class Byte, class Visit>
void in_groups(Byte* blocks_at, std::uint64_t blocks, std::span<const std::uint64_t> hashes,
               Visit visit) {
  std::array<Byte*, kFetchedAhead> places;
  for (std::size_t at = 0; at < hashes.size(); at += kFetchedAhead) {
    const std::size_t size = std::min(kFetchedAhead, hashes.size() - at);
    for (std::size_t i = 0; i < size; ++i) {
      places[i] = blocks_at + split_block::block_of(hashes[at + i], blocks) * kBlockBytes;
      __builtin_prefetch(places[i], kForWriting ? 1 : 0);
    }
    for (std::size_t i = 0; i < size; ++i) visit(at + i, places[i]);
  }
}

std::optional<std::uint64_t> sum(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a > UINT64_MAX - *b ? UINT64_MAX : *a + *b;
}

}  // namespace

SplitBlockFilter::SplitBlockFilter(std::uint64_t blocks, std::pmr::memory_resource* memory)
    : blocks_{std::clamp<std::uint64_t>(blocks, 1, kMostBlocks)},
      buffer_{memory_bytes(blocks_ * kBlockBytes), memory} {}

void SplitBlockFilter::count(std::uint64_t added) {
  if (provenance_.keys_inserted) *provenance_.keys_inserted += added;
}

bool SplitBlockFilter::insert(std::uint64_t hash) {
  std::byte* place = buffer_.span().data() + split_block::block_of(hash, blocks_) * kBlockBytes;
  const bool changed = set_in(place, mask_of(hash));
  count(changed ? 1 : 0);
  return changed;
}

bool SplitBlockFilter::may_contain(std::uint64_t hash) const {
  const std::byte* place =
      buffer_.view().data() + split_block::block_of(hash, blocks_) * kBlockBytes;
  return all_in(place, mask_of(hash));
}

std::size_t SplitBlockFilter::insert_batch(std::span<const std::uint64_t> hashes,
                                           std::span<std::uint8_t> is_new) {
  assert(is_new.size() == hashes.size());
  std::size_t added = 0;
  in_groups<true>(buffer_.span().data(), blocks_, hashes, [&](std::size_t i, std::byte* place) {
    const bool changed = set_in(place, mask_of(hashes[i]));
    is_new[i] = changed ? 1 : 0;
    added += is_new[i];
  });
  count(added);
  return added;
}

void SplitBlockFilter::may_contain_batch(std::span<const std::uint64_t> hashes,
                                         std::span<std::uint8_t> answers) const {
  assert(answers.size() == hashes.size());
  in_groups<false>(buffer_.view().data(), blocks_, hashes,
                   [&](std::size_t i, const std::byte* place) {
                     answers[i] = all_in(place, mask_of(hashes[i])) ? 1 : 0;
                   });
}

Status SplitBlockFilter::same_size(const SplitBlockFilter& other) const {
  if (blocks_ == other.blocks_) return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("the filters differ in size: ", blocks_, " blocks against ", other.blocks_)};
}

Status SplitBlockFilter::merge(const SplitBlockFilter& other) {
  if (auto same = same_size(other); !same) return same;
  or_bits(buffer_.span(), other.bytes());
  provenance_.keys_inserted = sum(provenance_.keys_inserted, other.provenance_.keys_inserted);
  return ok();
}

Status SplitBlockFilter::intersect(const SplitBlockFilter& other) {
  if (auto same = same_size(other); !same) return same;
  and_bits(buffer_.span(), other.bytes());
  if (provenance_.keys_inserted)
    provenance_.keys_inserted = static_cast<std::uint64_t>(std::llround(health().estimated_keys));
  return ok();
}

Result<bool> SplitBlockFilter::is_subset_of(const SplitBlockFilter& other) const {
  if (auto same = same_size(other); !same) return same.error();
  return bits_subset(bytes(), other.bytes());
}

// A hash scales to its block, so those of a smaller filter are neighbours in the larger.
Result<SplitBlockFilter> SplitBlockFilter::fold(std::uint64_t factor) const {
  if (factor == 0 || blocks_ % factor != 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("a filter of ", blocks_, " blocks cannot be folded by ", factor,
                         ": whole blocks must remain")};
  SplitBlockFilter folded{blocks_ / factor, buffer_.memory()};
  folded.provenance_ = provenance_;
  for (std::uint64_t block = 0; block < blocks_; ++block) {
    const auto from = static_cast<std::size_t>(block * kBlockBytes);
    const auto to = static_cast<std::size_t>(block / factor * kBlockBytes);
    or_bits(folded.bytes().subspan(to, kBlockBytes), bytes().subspan(from, kBlockBytes));
  }
  return folded;
}

void SplitBlockFilter::reset() {
  clear_bits(buffer_.span());
  if (provenance_.keys_inserted) provenance_.keys_inserted = 0;
}

SplitBlockFilter SplitBlockFilter::clone() const {
  SplitBlockFilter copy{1, buffer_.memory()};
  copy.blocks_ = blocks_;
  copy.provenance_ = provenance_;
  copy.buffer_ = buffer_.clone();
  return copy;
}

bool operator==(const SplitBlockFilter& a, const SplitBlockFilter& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

Health SplitBlockFilter::health() const {
  const std::uint64_t most = kSampledFromBytes / kBlockBytes;
  const std::uint64_t stride = (blocks_ + most - 1) / most;
  std::uint64_t ones = 0;
  std::uint64_t seen = 0;
  double rates = 0;
  for (std::uint64_t block = 0; block < blocks_; block += stride, ++seen) {
    const ByteView one =
        bytes().subspan(static_cast<std::size_t>(block * kBlockBytes), kBlockBytes);
    ones += count_ones(one);
    rates += pass_rate(load_le<Block>(one.data()));
  }
  const double fill =
      static_cast<double>(ones) / static_cast<double>(seen * split_block::kBlockBits);
  const double rate = rates / static_cast<double>(seen);
  const auto all_ones =
      static_cast<std::uint64_t>(std::llround(fill * static_cast<double>(size_bits())));
  return {fill, estimated_keys({size_bits(), kWordsPerBlock}, all_ones), rate,
          judge(fill, rate, provenance_.goal), stride > 1};
}

}  // namespace bloomery
