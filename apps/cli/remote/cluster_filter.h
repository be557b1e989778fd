// One filter over many keys of a Redis Cluster, as redis://host:port/name?shards=auto names it.
#pragma once
#include "apps/cli/remote/remote_filter.h"
#include "apps/redis_client/sharded_filter.h"

namespace bloomery::cli {

class ClusterFilter final : public RemoteFilter {
 public:
  static Result<ClusterFilter> open(const redis_client::RedisAddress& address);
  explicit ClusterFilter(redis_client::ShardedFilter shards) : shards_{std::move(shards)} {}
  ClusterFilter(ClusterFilter&& other) noexcept : shards_{std::move(other.shards_)} {}

  const Format& format() const override;
  Status may_contain_batch(std::span<const ByteView> keys,
                           std::span<std::uint8_t> answers) override {
    return shards_.may_contain_batch(keys, answers);
  }
  Result<std::size_t> insert_batch(std::span<const ByteView> keys,
                                   std::span<std::uint8_t> is_new) override {
    return shards_.insert_batch(keys, is_new);
  }
  Result<std::vector<std::byte>> fetch(DecodeLimits limits) override {
    return shards_.fetch(limits);
  }
  Description describe() override;

 private:
  redis_client::ShardedFilter shards_;
};

}  // namespace bloomery::cli
