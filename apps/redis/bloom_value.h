// What the server holds at a key: a filter, and its share of the statistics.
#pragma once
#include <variant>

#include "apps/redis/arguments.h"
#include "bloomery/formats/redisbloom.h"

namespace bloomery::redis_module {

// Lies in the server's memory, and holds no pointer into itself: defragmentation moves its bytes.
class BloomValue {
 public:
  static BloomValue* create(RedisBloomFilter filter);  // throws std::bad_alloc
  static void destroy(BloomValue* value);

  RedisBloomFilter& filter() { return filter_; }
  const RedisBloomFilter& filter() const { return filter_; }
  // After a change. `refused`: the last new key found no room.
  void account(bool refused);

 private:
  explicit BloomValue(RedisBloomFilter filter);
  ~BloomValue();

  RedisBloomFilter filter_;
  std::size_t counted_bytes_ = 0;
  bool counted_saturated_ = false;
};

// The error is the one to answer; a filter beyond the limits is one that memory does not suffice
// for.
std::variant<BloomValue*, Refusal> make_value(const NewFilter& wanted, DecodeLimits limits);

// As the peer counts: 32 bytes, 64 for each layer, and the bits.
std::size_t reported_bytes(const RedisBloomFilter& filter);

}  // namespace bloomery::redis_module
