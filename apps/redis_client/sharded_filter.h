// One filter over many keys of a Redis Cluster: each key of the filter goes to the shard that holds
// its block (docs/redis_cluster.md). A shard that is missing, replaced or of another filter is an
// error that names it, never an answer.
#pragma once
#include "apps/redis_client/cluster.h"
#include "apps/redis_client/shard_plan.h"
#include "bloomery/base/limits.h"

namespace bloomery::redis_client {

class ShardedFilter {
 public:
  static constexpr std::size_t kKeysInCommand = 1000;
  static constexpr std::uint64_t kBytesInCommand = std::uint64_t{1} << 20;  // of keys, or one key
  static constexpr std::size_t kKeysInFlight = std::size_t{1} << 16;

  // kIo where the cluster has no such filter, or lost a part of it. Shards that a creator left out
  // are made, but not where one holds keys already.
  static Result<ShardedFilter> open(const RedisAddress& address, Interrupted interrupted = nullptr);

  struct Created;
  // An empty filter. Of creators that come together one wins, and the others adopt its filter where
  // it is the one they wanted; else kInvalidArgument.
  static Result<Created> create(const RedisAddress& address, Goal goal,
                                Interrupted interrupted = nullptr);
  // Shards and then metadata; what is half made or half removed too. Nothing there is no error.
  static Status remove(const RedisAddress& address, Interrupted interrupted = nullptr);

  // An error where a shard that was asked is not what it was before. Precondition: one answer per
  // key.
  Status may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers);
  // Returns how many were new, as answers say for each: those that changed a bit. A key that is
  // sent again may be in already: resent() counts the commands. Keys before an
  // error may be in.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);

  struct Shard {
    std::string key;
    std::string node;
    std::uint64_t keys_inserted = 0;
    std::uint64_t bytes = 0;
  };
  Result<std::vector<Shard>> shards();

  // The whole filter, as a file of ours. Keys that are added meanwhile may be in it.
  Result<std::vector<std::byte>> fetch(DecodeLimits limits);

  const ShardPlan& plan() const { return plan_; }
  std::uint64_t resent() const { return cluster_.resent(); }

 private:
  // What a shard was when it was last asked.
  struct Seen {
    std::string node;  // counts may go down once another node serves
    std::uint64_t keys_inserted = 0;
    std::uint64_t bytes = 0;
  };

  ShardedFilter(RedisAddress address, RedisCluster cluster, ShardPlan plan);
  Status each_shard_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers,
                          const RedisCommand& start, ClusterMode mode);
  Status in_flight(std::span<const ByteView> keys, std::span<std::uint8_t> answers,
                   const RedisCommand& start, ClusterMode mode);
  Status check_shards(std::span<const std::uint32_t> shards, ClusterMode mode = ClusterMode::kRead);
  Status check_shard(std::uint32_t shard, const RedisReply& info);
  Status reserve_shards();
  Status refuse_leftovers();
  Status set_ready();
  Result<std::vector<std::byte>> fetch_shard(std::uint32_t shard, std::uint64_t bytes);
  std::string command(std::string_view verb) const;
  Error about(std::uint32_t shard, const Error& error) const;

  RedisAddress address_;
  RedisCluster cluster_;
  ShardPlan plan_;
  std::vector<std::string> keys_;
  std::vector<std::uint16_t> slots_;
  std::vector<Seen> seen_;
};

struct ShardedFilter::Created {
  ShardedFilter filter;
  bool is_new;  // no other creator was there before
};

}  // namespace bloomery::redis_client
