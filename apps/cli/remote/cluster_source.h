// Filters whose parts are loaded into the shards of a cluster: one in memory, cut into any number
// of parts, and a set of files, with the parts that it has.
#pragma once
#include "apps/redis_client/shard_store.h"
#include "bloomery/formats/any_filter.h"
#include "bloomery/formats/set/filter_set.h"

namespace bloomery::cli {

class WholeSource final : public redis_client::ShardSource {
 public:
  // The filter must outlive the source.
  explicit WholeSource(const NativeBlock& filter);

  const NativeHeader& whole() const override { return whole_; }
  std::uint32_t parts() const override { return 0; }
  Result<NativeHeader> header(Part part) const override;
  Status each_piece(Part part, const Use& use) const override;

 private:
  ByteView bytes_of_part(Part part) const;

  const BlockFilter& filter_;
  NativeHeader whole_;
};

class SetSource final : public redis_client::ShardSource {
 public:
  explicit SetSource(const FilterSet& set) : set_{set} {}

  const NativeHeader& whole() const override { return set_.manifest().whole; }
  std::uint32_t parts() const override { return set_.parts(); }
  Result<NativeHeader> header(Part part) const override;
  Status each_piece(Part part, const Use& use) const override;

 private:
  const FilterSet& set_;
};

// Asked before the work, where the address has shards.
Status may_store_in_cluster(const redis_client::RedisAddress& address, std::string_view format,
                            bool replace);
// kUnsupported for a filter that is no block filter of ours.
Status store_in_cluster(const redis_client::RedisAddress& address, const AnyFilter& filter,
                        bool replace);

}  // namespace bloomery::cli
