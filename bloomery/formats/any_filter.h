// Every filter that some format carries, and what can be asked of one without knowing which it is.
#pragma once
#include <variant>

#include "bloomery/formats/bits_and_blooms.h"
#include "bloomery/formats/dcso.h"
#include "bloomery/formats/ethereum.h"
#include "bloomery/formats/eventhorizon.h"
#include "bloomery/formats/go_bloom.h"
#include "bloomery/formats/guava.h"
#include "bloomery/formats/leveldb/table.h"
#include "bloomery/formats/minio_tracker.h"
#include "bloomery/formats/native/native.h"
#include "bloomery/formats/parquet_file.h"
#include "bloomery/formats/redis/redisbloom_dump.h"
#include "bloomery/formats/redis/rediscuckoo_dump.h"

namespace bloomery {

// Closed on purpose: std::visit lets the compiler say what a new kind of filter has yet to answer.
// Each alternative is a filter, or a struct with a member `filter` and what its file carries
// besides.
using AnyFilter =
    std::variant<NativeClassic, NativeBlock, NativeCounting<2>, NativeCounting<4>,
                 NativeCounting<8>, NativeScalable, ClassicFilter<GoBloom>, ClassicFilter<LevelDb>,
                 LevelDbFilterBlock, LevelDbTable, ClassicFilter<GuavaMitz64>,
                 ClassicFilter<GuavaMitz32>, BitsAndBloomsFilter<BitsAndBlooms>,
                 BitsAndBloomsFilter<BitsAndBloomsV2>, DcsoFilter, ClassicFilter<EventHorizonX86>,
                 ClassicFilter<EventHorizonX64>, EthereumFilter, RedisBloomFilter,
                 RedisCuckooFilter, MinioTracker, ParquetFilter, ParquetFile>;

// Visited once per batch of keys, never once per key. An operation that a filter does not have
// (removal from bits, insertion into a file of many filters) ends in kUnsupported with a sentence
// that says why.
Result<std::size_t> insert_batch(AnyFilter& filter, std::span<const ByteView> keys,
                                 std::span<std::uint8_t> is_new);
Status may_contain_batch(const AnyFilter& filter, std::span<const ByteView> keys,
                         std::span<std::uint8_t> answers);
// removed[i] is 1 where a key was removed, 0 where it was certainly absent and nothing changed.
Result<std::size_t> remove_batch(AnyFilter& filter, std::span<const ByteView> keys,
                                 std::span<std::uint8_t> removed);
Status merge(AnyFilter& into, const AnyFilter& from);
Status intersect(AnyFilter& into, const AnyFilter& from);
Result<bool> is_subset_of(const AnyFilter& part, const AnyFilter& whole);
Result<bool> is_equal(const AnyFilter& a, const AnyFilter& b);
Result<AnyFilter> fold(const AnyFilter& filter, std::uint64_t factor);
Result<AnyFilter> clone(const AnyFilter& filter);
Description describe(const AnyFilter& filter);

namespace internal {

// The filter of an alternative: its member `filter`, or the alternative itself.
template <class T>
auto& core(T& held) {
  if constexpr (requires { held.filter; }) {
    return held.filter;
  } else {
    return held;
  }
}

}  // namespace internal
}  // namespace bloomery
