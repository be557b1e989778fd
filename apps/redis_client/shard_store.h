// Storage of a filter that was built elsewhere as the shards of a cluster. Until the last part has
// come, clients find the old filter, or none.
#pragma once
#include <functional>

#include "apps/redis_client/address.h"
#include "apps/redis_client/channel.h"
#include "bloomery/formats/native/header.h"

namespace bloomery::redis_client {

// A filter in parts: what it is, and where the bytes of each part come from.
class ShardSource {
 public:
  using Use = std::function<Status(ByteView piece)>;

  ShardSource() = default;
  ShardSource(const ShardSource&) = delete;
  ShardSource& operator=(const ShardSource&) = delete;
  virtual ~ShardSource() = default;

  virtual const NativeHeader& whole() const = 0;  // the header of its single file
  virtual std::uint32_t parts() const = 0;        // 0: any number
  // Of part i of n, which is parts() unless that is 0.
  virtual Result<NativeHeader> header(Part part) const = 0;
  virtual Status each_piece(Part part, const Use& use) const = 0;  // of its body, in order
};

struct StoredShards {
  std::uint32_t shards;
  std::uint64_t bytes;
};

// kInvalidArgument where the name is taken, unless `replace`, or where the source has another
// number of parts than the address; kUnsupported for a filter that no server takes. A load that is
// killed leaves temporary keys, which the servers remove after an hour, and perhaps a filter that
// says that it is being loaded.
Result<StoredShards> store_shards(const RedisAddress& address, const ShardSource& source,
                                  bool replace, Interrupted interrupted = nullptr);
// Asked before the work.
Status may_store_shards(const RedisAddress& address, bool replace,
                        Interrupted interrupted = nullptr);

}  // namespace bloomery::redis_client
