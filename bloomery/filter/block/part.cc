#include "bloomery/filter/block/part.h"

#include <array>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/filter/classic/bit_array.h"

namespace bloomery {
namespace {

// use(digests, where they begin among the keys) for some keys at a time.
template <class Use>
std::size_t each_digests(const KeyHash& hash, std::span<const ByteView> keys, Use use) {
  constexpr std::size_t kPiece = 256;
  std::array<Hash128, kPiece> digests;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < keys.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, keys.size() - at);
    digest_batch(hash, keys.subspan(at, count), digests);
    sum += use(std::span<const Hash128>{digests}.first(count), at);
  }
  return sum;
}

}  // namespace

Result<BlockPart> BlockPart::create(BlockShape shape, Part part, const KeyHash& hash,
                                    std::pmr::memory_resource* memory) {
  if (auto valid = checked(shape); !valid) return valid.error();
  if (auto valid = checked(part, shape.blocks); !valid) return valid.error();
  return BlockPart{shape, part, hash, memory};
}

BlockPart::BlockPart(BlockShape shape, Part part, const KeyHash& hash,
                     std::pmr::memory_resource* memory)
    : buffer_{memory_bytes(part_bytes(shape, part)), memory},
      view_{shape, part, buffer_.span(), hash} {
  if (shape.lines() > 1) provenance_.keys_inserted = std::nullopt;
}

std::size_t BlockPart::insert_batch(std::span<const ByteView> keys,
                                    std::span<std::uint8_t> is_new) {
  return each_digests(hash(), keys, [&](std::span<const Hash128> digests, std::size_t at) {
    return insert_batch(digests, is_new.subspan(at, digests.size()));
  });
}

std::size_t BlockPart::may_contain_batch(std::span<const ByteView> keys,
                                         std::span<std::uint8_t> answers) const {
  return each_digests(hash(), keys, [&](std::span<const Hash128> digests, std::size_t at) {
    return may_contain_batch(digests, answers.subspan(at, digests.size()));
  });
}

Status BlockPart::merge(const BlockPart& other) {
  if (part() != other.part())
    return invalid_argument(message("part ", part().index, " of ", part().parts,
                                    " merges only with the same part of another filter, not with "
                                    "part ",
                                    other.part().index, " of ", other.part().parts));
  if (whole_shape() != other.whole_shape() || hash() != other.hash())
    return invalid_argument("the parts belong to filters of different shapes or hashes");
  if (!std::ranges::equal(view_.seeds(), other.view_.seeds()))
    return invalid_argument("the parts are seeded, and their seeds differ");
  or_bits(buffer_.span().first(view_.blocks().size()), other.view_.blocks());
  provenance_.keys_inserted =
      sum_of_keys(provenance_.keys_inserted, other.provenance_.keys_inserted);
  return ok();
}

BlockPart BlockPart::clone() const {
  BlockPart copy{whole_shape(), part(), hash(), buffer_.memory()};
  copy.provenance_ = provenance_;
  std::ranges::copy(bytes(), copy.buffer_.span().begin());
  return copy;
}

bool operator==(const BlockPart& a, const BlockPart& b) {
  return a.whole_shape() == b.whole_shape() && a.part() == b.part() && a.hash() == b.hash() &&
         std::ranges::equal(a.bytes(), b.bytes());
}

Health BlockPart::health() const {
  return block_health(view_.own_shape(), view_.blocks(), provenance_.goal);
}

}  // namespace bloomery
