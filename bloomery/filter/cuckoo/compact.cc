// Compaction of a cuckoo filter: fingerprints of newer layers move into holes of older ones.
#include <algorithm>

#include "bloomery/filter/cuckoo/cuckoo.h"

namespace bloomery {

// Looks for room in the oldest layer first. While one layer is emptied, and then the next older
// one, buckets of layers yet older only fill: the first of them with room for a bucket never moves
// back. With many layers that is remembered for each bucket, so that a compaction takes a time
// linear in the slots and not in slots times layers. Many layers are all of one size: with an
// expansion of two or more, 64 of them would not fit any memory.
class CuckooFilter::Compaction {
 public:
  Compaction(CuckooFilter& filter, std::vector<std::uint32_t> memory)
      : filter_{filter}, first_with_room_{std::move(memory)} {}

  // True if the layer is empty now.
  bool empty_layer(std::size_t layer) {
    const ByteSpan table = filter_.table(layer);
    bool emptied = true;
    for (std::size_t at = 0; at < table.size(); ++at) {
      if (table[at] == std::byte{0}) continue;
      if (move_down(layer, at / filter_.shape_.bucket_size, table[at])) {
        table[at] = std::byte{0};
      } else {
        emptied = false;
      }
    }
    return emptied;
  }

 private:
  bool move_down(std::size_t layer, std::uint64_t bucket, std::byte fingerprint) {
    const std::uint64_t other = filter_.other(bucket, fingerprint) & filter_.layers_[layer].mask;
    const std::size_t with_first = layer_with_room(bucket, layer);
    const std::size_t with_other = layer_with_room(other, std::min(with_first, layer));
    const bool takes_other = with_other < with_first;
    const std::size_t target = std::min(with_first, with_other);
    if (target >= layer) return false;
    Layer& older = filter_.layers_[target];
    const std::size_t at = filter_.find(older, takes_other ? other : bucket, std::byte{0});
    older.table.span()[at] = fingerprint;
    return true;
  }

  // The oldest layer before `end` with room in that bucket, or `end`.
  std::size_t layer_with_room(std::uint64_t bucket, std::size_t end) {
    const bool remembers = !first_with_room_.empty();
    std::size_t layer = remembers ? first_with_room_[static_cast<std::size_t>(bucket)] : 0;
    while (layer < end && filter_.find(filter_.layers_[layer], bucket, std::byte{0}) == kNowhere)
      ++layer;
    if (remembers)
      first_with_room_[static_cast<std::size_t>(bucket)] = static_cast<std::uint32_t>(layer);
    return std::min(layer, end);
  }

  CuckooFilter& filter_;
  std::vector<std::uint32_t> first_with_room_;  // by bucket; 2^32 layers fit no memory
};

std::vector<std::uint32_t> CuckooFilter::memory_to_compact() const {
  constexpr std::size_t kFewLayers = 64;
  return std::vector<std::uint32_t>(layers() > kFewLayers ? static_cast<std::size_t>(buckets(0))
                                                          : 0);
}

void CuckooFilter::compact(bool stops_at_failure, std::vector<std::uint32_t> memory) {
  Compaction compaction{*this, std::move(memory)};
  for (std::size_t i = layers_.size(); i-- > 1;) {
    const bool emptied = compaction.empty_layer(i);
    if (emptied && i + 1 == layers_.size()) drop_newest();
    if (!emptied && stops_at_failure) break;
  }
  removals_ = 0;
}

}  // namespace bloomery
