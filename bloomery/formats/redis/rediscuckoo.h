// RedisBloom's cuckoo filter (8.10 line). Written from a description of its behaviour. The bytes it
// is carried in are in rediscuckoo_dump.h.
#pragma once
#include "bloomery/filter/cuckoo/cuckoo.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"

namespace bloomery {

// The parameters of a new filter, with the peer's defaults.
struct RedisCuckooOptions {
  std::uint64_t keys = 1024;  // the peer's "capacity"
  std::uint32_t bucket_size = 2;
  std::uint32_t max_iterations = 20;
  std::uint32_t expansion = 1;  // rounded up to a power of two; 0 does not grow
};

// What the peer writes of a filter besides its tables, with our names (its "items" are keys, its
// "deletes" removals).
struct RedisCuckooHeader {
  std::uint64_t keys = 0;
  std::uint64_t buckets = 0;  // of the first layer
  std::uint64_t removals = 0;
  std::uint64_t layers = 1;
  std::uint16_t bucket_size = 2;
  std::uint16_t max_iterations = 20;
  std::uint16_t expansion = 1;
  friend bool operator==(const RedisCuckooHeader&, const RedisCuckooHeader&) = default;
};

// Many readers or one writer. A CuckooFilter with the peer's hash; equal keys are kept as often as
// they are inserted.
class RedisCuckooFilter {
 public:
  static constexpr std::uint64_t kMaxGoalKeys = std::uint64_t{1} << 30;
  static constexpr std::uint32_t kMaxBucketSize = 255;
  static constexpr std::uint32_t kMaxIterations = 65535;
  static constexpr std::uint32_t kMaxExpansion = 32768;
  static constexpr std::uint64_t kMaxLayers = CuckooFilter::kMaxLayers;

  // As CF.RESERVE makes it. kInvalidArgument for a number out of range (keys: from twice the bucket
  // size on), kTooLarge beyond the limit; both before anything is allocated.
  static Result<RedisCuckooFilter> for_options(const RedisCuckooOptions& options,
                                               DecodeLimits limits = {},
                                               std::pmr::memory_resource* memory = nullptr);
  // Bytes of the tables a header describes. kMalformed unless every number is in range and no more
  // keys are counted than slots are there; kTooLarge beyond the limit.
  static Result<std::uint64_t> checked(const RedisCuckooHeader& header, DecodeLimits limits);
  // The filter a header describes, with empty tables, or why it is not checked().
  static Result<RedisCuckooFilter> from_header(const RedisCuckooHeader& header,
                                               DecodeLimits limits = {},
                                               std::pmr::memory_resource* memory = nullptr);
  // The same with tables that were filled one by one. Precondition: the header is checked().
  static RedisCuckooFilter from_tables(const RedisCuckooHeader& header,
                                       std::vector<Buffer>&& tables, DecodeLimits limits,
                                       std::pmr::memory_resource* memory);
  RedisCuckooHeader header() const;

  static CuckooDigest digest(ByteView key) noexcept;

  // max_layers is the peer's cf-max-expansions: nothing is inserted once there are as many.
  CuckooOutcome insert(ByteView key, std::uint64_t max_layers = kMaxLayers) {
    return filter_.insert(digest(key), max_layers);
  }
  CuckooOutcome insert_if_absent(ByteView key, std::uint64_t max_layers = kMaxLayers) {
    return filter_.insert_if_absent(digest(key), max_layers);
  }
  bool may_contain(ByteView key) const { return filter_.may_contain(digest(key)); }
  std::uint64_t count(ByteView key) const { return filter_.count(digest(key)); }
  bool remove(ByteView key) { return filter_.remove(digest(key)); }
  void compact() { filter_.compact(); }

  // Every key is inserted, also one that seems to be in. is_new reports which seemed absent before.
  // Stops at the first key without room: those before it are in, and is_new says 0 for the rest.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  std::size_t remove_batch(std::span<const ByteView> keys, std::span<std::uint8_t> removed);

  RedisCuckooFilter clone() const { return RedisCuckooFilter{filter_.clone()}; }
  friend bool operator==(const RedisCuckooFilter&, const RedisCuckooFilter&) = default;

  void set_limits(DecodeLimits limits) { filter_.set_limits(limits); }
  const CuckooShape& shape() const { return filter_.shape(); }
  std::size_t layers() const { return filter_.layers(); }
  std::uint64_t buckets(std::size_t layer) const { return filter_.buckets(layer); }
  ByteView table(std::size_t layer) const { return filter_.table(layer); }
  ByteSpan table(std::size_t layer) { return filter_.table(layer); }  // for decoders
  std::uint64_t keys() const { return filter_.keys(); }
  std::uint64_t removals() const { return filter_.removals(); }
  std::uint64_t occupied_slots() const { return filter_.occupied_slots(); }
  std::uint64_t size_bytes() const { return filter_.size_bytes(); }
  std::uint64_t reported_bytes() const;  // what CF.INFO calls Size
  Health health() const { return filter_.health(); }
  Health layer_health(std::size_t layer) const { return filter_.layer_health(layer); }

 private:
  explicit RedisCuckooFilter(CuckooFilter filter) : filter_{std::move(filter)} {}
  CuckooFilter filter_;
};

// keys and options.expansion. A rate is accepted where buckets of two slots keep it.
Result<RedisCuckooFilter> create_rediscuckoo(const CreateOptions& options);
Description describe(const RedisCuckooFilter& filter);

}  // namespace bloomery
