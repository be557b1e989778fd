// RedisBloom's scalable filter. The bytes it is carried in are in redisbloom_dump.h.
#pragma once
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"
#include "bloomery/formats/redis/redisbloom_layer.h"

namespace bloomery {

// The message of the error that a full filter which may not grow gives, as the peer words it.
inline constexpr std::string_view kRedisBloomFull = "non scaling filter is full";

// Many readers or one writer. Keys go into the newest layer; every layer is asked, newest first.
class RedisBloomFilter {
 public:
  static constexpr std::uint64_t kMaxGoalKeys = std::uint64_t{1} << 30;
  static constexpr std::uint32_t kMaxExpansion = 32768;
  static constexpr double kMaxRate = 0.25;

  RedisBloomFilter(RedisBloomFilter&&) noexcept = default;  // copies are asked for by name: clone()
  RedisBloomFilter& operator=(RedisBloomFilter&&) noexcept = default;

  // A rate above 0.25 becomes 0.25, as in the peer. Expansion 0 does not grow: its one layer has
  // the goal's rate; otherwise layers start at half of it, so that their sum stays below.
  static Result<RedisBloomFilter> for_goal(Goal goal, std::uint32_t expansion = 2,
                                           DecodeLimits limits = {},
                                           std::pmr::memory_resource* memory = nullptr);
  // The filter a header describes, with no bit set. Everything is checked before anything is
  // allocated.
  static Result<RedisBloomFilter> from_header(const RedisBloomHeader& header,
                                              DecodeLimits limits = {},
                                              std::pmr::memory_resource* memory = nullptr);
  // The same with layers that were made and filled one by one. Precondition: the header is
  // checked(), and each layer is the one that make_layer() makes of it.
  static RedisBloomFilter from_layers(const RedisBloomHeader& header,
                                      std::vector<RedisBloomLayer> layers, DecodeLimits limits,
                                      std::pmr::memory_resource* memory) noexcept;
  RedisBloomHeader header() const;
  void set_limits(DecodeLimits limits) { limits_ = limits; }  // growth beyond them is refused

  // True if the key was certainly new. kTooLarge when it is new and there is no room: the message
  // is kRedisBloomFull, or says why the filter cannot grow.
  Result<bool> insert(ByteView key);
  bool may_contain(ByteView key) const;
  // Stops at the first key without room: keys before it are in, and is_new says 0 for the rest.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys);
  Result<std::size_t> insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

  // Layer by layer. kInvalidArgument unless both have the same layers.
  Status merge(const RedisBloomFilter& other);
  Result<bool> is_subset_of(const RedisBloomFilter& other) const;
  RedisBloomFilter clone() const;
  friend bool operator==(const RedisBloomFilter& a, const RedisBloomFilter& b);

  std::span<const RedisBloomLayer> layers() const { return layers_; }
  std::span<RedisBloomLayer> layers() { return layers_; }  // for decoders
  bool grows() const { return (options_ & kRedisBloomNonScaling) == 0; }
  std::uint32_t options() const { return options_; }
  std::uint32_t growth() const { return growth_; }
  std::uint64_t keys_inserted() const;
  std::uint64_t size_bits() const;
  std::size_t size_bytes() const;
  Goal goal() const;      // keys of all layers, and the rate asked for
  Health health() const;  // a false positive of any layer counts: 1 - product of (1 - rate)

 private:
  RedisBloomFilter(std::uint32_t options, std::uint32_t growth, DecodeLimits limits,
                   std::pmr::memory_resource* memory)
      : options_{options}, growth_{growth}, limits_{limits}, memory_{memory} {}
  Status add_layer(std::uint64_t goal_keys, double rate);
  Status grow();
  Status same_layers(const RedisBloomFilter& other) const;
  std::uint64_t room() const;  // keys that the newest layer still takes
  void insert_within_room(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);

  std::uint32_t options_;
  std::uint32_t growth_;
  DecodeLimits limits_;
  std::pmr::memory_resource* memory_;
  std::vector<RedisBloomLayer> layers_;  // oldest first, at least one
};

// keys, rate and options.expansion.
Result<RedisBloomFilter> create_redisbloom(const CreateOptions& options);
Description describe(const RedisBloomFilter& filter);

}  // namespace bloomery
