// A cuckoo filter: of each key a fingerprint of one byte, kept in one of two buckets. It counts,
// and keys can be removed again, but only keys that were inserted: a fingerprint may be shared, and
// removing an absent key may take another's. Where no room is left it grows by a layer.
#pragma once
#include <vector>

#include "bloomery/base/buffer.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/health.h"

namespace bloomery {

// What the filter needs to know of a key, made by the caller, who chose the hash. The key belongs
// into bucket `hash`, or else into bucket `hash ^ fingerprint * spread`, modulo the buckets of a
// layer.
struct CuckooDigest {
  std::uint64_t hash;
  std::uint8_t fingerprint;  // 1 to 255: 0 is an empty slot
};

struct CuckooShape {
  std::uint64_t buckets = 0;  // of the first layer; a power of two
  std::uint64_t spread = 0;
  std::uint16_t bucket_size = 2;      // slots of a bucket, 1 to 255
  std::uint16_t max_iterations = 20;  // fingerprints moved before a layer counts as full, from 1
  std::uint16_t expansion = 1;        // how many times the buckets of the layer before: a power of
                                      // two, or 0 for a filter that does not grow
  bool grows() const { return expansion > 0; }
  friend bool operator==(const CuckooShape&, const CuckooShape&) = default;
};

enum class CuckooOutcome : std::uint8_t {
  kInserted,
  kPresent,        // and nothing changed: of insert_if_absent only
  kFull,           // no room, and the filter does not grow
  kTooManyLayers,  // it has as many as the caller allows
  kBeyondLimit,    // another layer would exceed the memory limit
};

// Many readers or one writer. A key goes into the newest layer with room in one of its buckets.
// Equal keys are kept as often as they are inserted. After std::bad_alloc nothing has changed.
class CuckooFilter {
 public:
  // With as many layers no key is inserted. A filter that is loaded may have more.
  static constexpr std::uint64_t kMaxLayers = 65536;
  static constexpr std::uint64_t kFingerprints = 255;

  // Bytes of that many layers. kInvalidArgument for a shape that cannot be, kTooLarge beyond the
  // limit.
  static Result<std::uint64_t> bytes_of_layers(const CuckooShape& shape, std::uint64_t layers,
                                               DecodeLimits limits);
  static Result<CuckooFilter> create(const CuckooShape& shape, std::uint64_t layers = 1,
                                     DecodeLimits limits = {},
                                     std::pmr::memory_resource* memory = nullptr);
  // The same of tables that were filled one by one. Precondition: at least one, and each has the
  // size of its layer. After std::bad_alloc the tables are still the caller's.
  static CuckooFilter from_tables(const CuckooShape& shape, std::vector<Buffer>&& tables,
                                  DecodeLimits limits, std::pmr::memory_resource* memory);
  CuckooFilter(CuckooFilter&&) noexcept = default;  // copies are asked for by name: clone()
  CuckooFilter& operator=(CuckooFilter&&) noexcept = default;

  // Nothing is tried once the filter has max_layers. On every outcome but
  // kInserted the filter is as it was.
  CuckooOutcome insert(CuckooDigest key, std::uint64_t max_layers = kMaxLayers);
  CuckooOutcome insert_if_absent(CuckooDigest key, std::uint64_t max_layers = kMaxLayers);
  bool may_contain(CuckooDigest key) const;
  std::uint64_t count(CuckooDigest key) const;  // how often it may have been inserted; never less
  // False if the key was certainly absent. Compacts where removals exceed a tenth of the keys left.
  bool remove(CuckooDigest key);
  // Moves fingerprints into older layers, and gives the newest back while they are empty.
  void compact() { compact(false, memory_to_compact()); }

  CuckooFilter clone() const;
  friend bool operator==(const CuckooFilter& a, const CuckooFilter& b);

  void set_limits(DecodeLimits limits) { limits_ = limits; }  // growth beyond them is refused
  const CuckooShape& shape() const { return shape_; }
  std::size_t layers() const { return layers_.size(); }  // 0 is the oldest
  std::uint64_t buckets(std::size_t layer) const { return layers_[layer].mask + 1; }
  ByteView table(std::size_t layer) const { return layers_[layer].table.view(); }
  ByteSpan table(std::size_t layer) { return layers_[layer].table.span(); }  // for decoders
  std::uint64_t size_bytes() const { return size_bytes_; }                   // also its slots
  // Inserted and not removed; and removed since the last compaction. A decoder that fills
  // tables sets both.
  std::uint64_t keys() const { return keys_; }
  std::uint64_t removals() const { return removals_; }
  void set_counts(std::uint64_t keys, std::uint64_t removals);

  std::uint64_t occupied_slots() const;
  Health health() const;
  Health layer_health(std::size_t layer) const;

 private:
  struct Layer {
    Buffer table;        // bucket after bucket
    std::uint64_t mask;  // buckets - 1
  };
  static constexpr std::size_t kNowhere = SIZE_MAX;
  class Compaction;

  CuckooFilter(const CuckooShape& shape, DecodeLimits limits, std::pmr::memory_resource* memory)
      : shape_{shape}, limits_{limits}, memory_{memory} {}
  void add_layer(std::uint64_t buckets);
  void drop_newest();
  bool grow();
  std::uint64_t other(std::uint64_t bucket, std::byte fingerprint) const {
    return bucket ^ static_cast<std::uint64_t>(fingerprint) * shape_.spread;
  }
  // Where the bucket, or either bucket of the key, holds such a byte.
  std::size_t find(const Layer& layer, std::uint64_t bucket, std::byte wanted) const;
  std::size_t find(const Layer& layer, CuckooDigest key, std::byte wanted) const;
  bool take_free_slot(CuckooDigest key);
  bool kick_out(CuckooDigest key);
  std::vector<std::uint32_t> memory_to_compact() const;
  void compact(bool stops_at_failure, std::vector<std::uint32_t> memory);
  double layer_rate(const Layer& layer, std::uint64_t visited) const;

  CuckooShape shape_;
  DecodeLimits limits_;
  std::pmr::memory_resource* memory_;
  std::vector<Layer> layers_;  // oldest first, at least one
  std::uint64_t size_bytes_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t removals_ = 0;
};

}  // namespace bloomery
