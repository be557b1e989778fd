// A part of a block filter over memory that its owner keeps. The kernels see the whole filter: its
// number of blocks, and where its first block would lie. They get only keys of this part, so that
// they touch only its memory.
#pragma once
#include <algorithm>
#include <cassert>
#include <type_traits>

#include "bloomery/filter/block/digest_batch.h"
#include "bloomery/layout/part.h"

namespace bloomery {

// Many readers or one writer. Digests are those of the whole filter's hash; each call takes those
// of any keys and passes over the lines that lie in other parts.
template <class Byte = std::byte>  // std::byte or const std::byte
class BlockPartView {
 public:
  BlockPartView() = default;
  // Precondition: checked(shape) and checked(part, shape.blocks), of the whole filter; `memory`
  // holds part_bytes(shape, part).
  BlockPartView(BlockShape shape, Part part, std::span<Byte> memory, const KeyHash& hash)
      : shape_{shape},
        part_{part},
        range_{blocks_of(part, shape.blocks)},
        memory_{memory.first(static_cast<std::size_t>(part_bytes(shape, part)))},
        hash_{hash},
        kernels_{&simd::active_block_kernels()} {
    // Where block 0 and seed 0 would lie. No pointer to there is followed.
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto first = static_cast<std::uintptr_t>(range_.first);
    const auto own = static_cast<std::uintptr_t>(range_.size());
    target_ = {reinterpret_cast<std::byte*>(start - first * block::kBlockBytes), shape.blocks,
               nullptr, block::probes_in_line(shape.probes), hash.hasher};
    if (shape.seeded)
      target_.seeds =
          reinterpret_cast<const std::uint8_t*>(start + own * block::kBlockBytes - first);
  }

  // Whether a line of the key lies in this part. With one line per key, exactly one part holds it.
  bool holds(Hash128 digest) const {
    bool found = false;
    each_line(digest, [&](Hash128) { found = true; });
    return found;
  }
  // True if a bit changed.
  bool insert(Hash128 digest) const requires(!std::is_const_v<Byte>) {
    std::uint8_t is_new = 0;
    return insert_batch({&digest, 1}, {&is_new, 1}) != 0;
  }
  // False if the key is certainly absent from the whole filter; true also for a key that no line of
  // which lies here.
  bool may_contain(Hash128 digest) const {
    std::uint8_t answer = 0;
    return may_contain_batch({&digest, 1}, {&answer, 1}) != 0;
  }

  // Act as if key by key, in order, and return how many changed a bit or may be contained.
  // Precondition: one answer for each digest.
  std::size_t insert_batch(std::span<const Hash128> digests, std::span<std::uint8_t> is_new) const
      requires(!std::is_const_v<Byte>) {
    return in_pieces<true>(digests, is_new);
  }
  std::size_t may_contain_batch(std::span<const Hash128> digests,
                                std::span<std::uint8_t> answers) const {
    return in_pieces<false>(digests, answers);
  }

  BlockShape whole_shape() const { return shape_; }
  // What the part is by itself: as many blocks as it holds.
  BlockShape own_shape() const { return {range_.size(), shape_.probes, shape_.seeded}; }
  Part part() const { return part_; }
  PartRange range() const { return range_; }
  const KeyHash& hash() const { return hash_; }
  std::span<Byte> bytes() const { return memory_; }
  ByteView blocks() const {
    return ByteView{memory_}.first(static_cast<std::size_t>(range_.size()) * block::kBlockBytes);
  }
  std::span<const std::uint8_t> seeds() const {
    const ByteView rest = ByteView{memory_}.subspan(blocks().size());
    return {reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size()};
  }

 private:
  template <class Use>
  void each_line(Hash128 digest, Use use) const {
    block::LineWords line{digest.low, digest.high};
    for (std::uint32_t left = shape_.lines();;) {
      if (range_.holds(block::block_of(line.place, shape_.blocks)))
        use(Hash128{line.place, line.bits});
      if (--left == 0) return;
      line = block::next_line(line);
    }
  }
  template <bool kInsert>
  std::size_t in_pieces(std::span<const Hash128> digests, std::span<std::uint8_t> answers) const {
    assert(answers.size() >= digests.size());
    std::size_t sum = 0;
    for (std::size_t at = 0; at < digests.size(); at += kPiece) {
      const std::size_t count = std::min(kPiece, digests.size() - at);
      sum += piece<kInsert>(digests.subspan(at, count), answers.subspan(at, count));
    }
    return sum;
  }
  // The lines of these keys that lie here go to the kernel as keys of one line each.
  template <bool kInsert>
  std::size_t piece(std::span<const Hash128> digests, std::span<std::uint8_t> answers) const {
    Hash128 lines[kPiece * block::kMostLines] = {};
    std::uint16_t key_of[kPiece * block::kMostLines];
    std::uint8_t found[kPiece * block::kMostLines];
    std::size_t count = 0;
    for (std::size_t i = 0; i < digests.size(); ++i)
      each_line(digests[i], [&](Hash128 line) {
        lines[count] = line;
        key_of[count++] = static_cast<std::uint16_t>(i);
      });
    const auto& kernel = kernels_->hashes;
    (kInsert ? kernel.insert_batch : kernel.may_contain_batch)(target_, lines, count,
                                                               {found, nullptr});
    std::ranges::fill(answers, kInsert ? 0 : 1);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t& answer = answers[key_of[i]];
      answer = kInsert ? answer | found[i] : answer & found[i];
    }
    return static_cast<std::size_t>(std::ranges::count(answers, 1));
  }

  static constexpr std::size_t kPiece = 256;
  BlockShape shape_{};
  Part part_{};
  PartRange range_{};
  std::span<Byte> memory_{};
  KeyHash hash_{};
  const simd::BlockKernels* kernels_ = nullptr;
  simd::BlockTarget target_{};
};

}  // namespace bloomery
