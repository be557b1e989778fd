// One part of a block filter, in memory: what one of N builders makes. It takes only the memory of
// its blocks, and ignores keys of other parts. The parts of a filter, joined, equal the filter that
// one builder makes of all keys.
#pragma once
#include "bloomery/base/buffer.h"
#include "bloomery/filter/block/part_view.h"
#include "bloomery/filter/health.h"
#include "bloomery/filter/provenance.h"

namespace bloomery {

// Many readers or one writer, as std::vector.
class BlockPart {
 public:
  // `shape` is that of the whole filter. kInvalidArgument for a shape or a part that does not
  // exist. Throws std::bad_alloc where the part does not fit in memory. A seeded part made here has
  // window set 0 everywhere; SeededBuilder::finish_part chooses better ones.
  static Result<BlockPart> create(BlockShape shape, Part part, const KeyHash& hash = {},
                                  std::pmr::memory_resource* memory = nullptr);
  BlockPart(BlockPart&& other) noexcept = default;
  BlockPart& operator=(BlockPart&& other) noexcept = default;

  // Whether a line of the key lies here: with one line per key, in exactly one part.
  bool holds(Hash128 digest) const { return view_.holds(digest); }
  // Keys of other parts are passed over. Answers as those of BlockFilter: an insert says whether a
  // bit of this part changed; a lookup says true of a key that has no line here.
  bool insert(Hash128 digest) { return counted(view_.insert(digest) ? 1 : 0) != 0; }
  bool may_contain(Hash128 digest) const { return view_.may_contain(digest); }
  // Precondition of batches with answers: one for each key.
  std::size_t insert_batch(std::span<const Hash128> digests, std::span<std::uint8_t> is_new) {
    return counted(view_.insert_batch(digests, is_new));
  }
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  std::size_t may_contain_batch(std::span<const Hash128> digests,
                                std::span<std::uint8_t> answers) const {
    return view_.may_contain_batch(digests, answers);
  }
  std::size_t may_contain_batch(std::span<const ByteView> keys,
                                std::span<std::uint8_t> answers) const;

  // Union with the same part of a filter of the same shape and hash; keys_inserted becomes the sum.
  Status merge(const BlockPart& other);
  BlockPart clone() const;
  friend bool operator==(const BlockPart& a, const BlockPart& b);

  BlockShape whole_shape() const { return view_.whole_shape(); }
  Part part() const { return view_.part(); }
  PartRange range() const { return view_.range(); }
  const KeyHash& hash() const { return view_.hash(); }
  ByteView bytes() const { return buffer_.view(); }  // its blocks, then their seeds
  ByteSpan bytes() { return buffer_.span(); }        // for decoders: seeds stay below kWindowSets
  const BlockPartView<>& view() const { return view_; }

  // The goal is that of the whole filter. The keys are those that changed a bit of this part: with
  // one line per key, the sum over all parts is that of the whole filter; with several lines it is
  // unknown, because several parts see the same key.
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(const Provenance& provenance) { provenance_ = provenance; }
  // The rate and the fill of this part; the keys whose bits it would take to fill it: with one line
  // per key those that it holds, and with several its share of all.
  Health health() const;

 private:
  BlockPart(BlockShape shape, Part part, const KeyHash& hash, std::pmr::memory_resource* memory);
  std::size_t counted(std::size_t added) {
    if (provenance_.keys_inserted) *provenance_.keys_inserted += added;
    return added;
  }

  Provenance provenance_;
  Buffer buffer_;
  BlockPartView<> view_;
};

}  // namespace bloomery
