// A program written for version 0.1 compiles: every header it could include still has its name.
#include <gtest/gtest.h>

#include "bloomery/filter/bit_array.h"
#include "bloomery/filter/bitmap.h"
#include "bloomery/filter/block.h"
#include "bloomery/filter/block_health.h"
#include "bloomery/filter/block_view.h"
#include "bloomery/filter/bloomery_classic.h"
#include "bloomery/filter/classic.h"
#include "bloomery/filter/classic_batch.h"
#include "bloomery/filter/classic_view.h"
#include "bloomery/filter/concurrent_block.h"
#include "bloomery/filter/counters.h"
#include "bloomery/filter/counting.h"
#include "bloomery/filter/cuckoo.h"
#include "bloomery/filter/double_hash.h"
#include "bloomery/filter/scalable.h"
#include "bloomery/filter/scalable_impl.h"
#include "bloomery/filter/seeded_builder.h"
#include "bloomery/filter/seeded_partitions.h"
#include "bloomery/filter/seeded_spill.h"
#include "bloomery/filter/split_block.h"
#include "bloomery/formats/honest_description.h"
#include "bloomery/formats/leveldb.h"
#include "bloomery/formats/leveldb_audit.h"
#include "bloomery/formats/leveldb_block.h"
#include "bloomery/formats/leveldb_database.h"
#include "bloomery/formats/leveldb_entries.h"
#include "bloomery/formats/leveldb_folder.h"
#include "bloomery/formats/leveldb_log.h"
#include "bloomery/formats/leveldb_manifest.h"
#include "bloomery/formats/leveldb_policy.h"
#include "bloomery/formats/leveldb_table.h"
#include "bloomery/formats/native.h"
#include "bloomery/formats/native_body.h"
#include "bloomery/formats/native_header.h"
#include "bloomery/formats/native_mapped.h"
#include "bloomery/formats/native_mapped_block.h"
#include "bloomery/formats/redis_chunks.h"
#include "bloomery/formats/redis_rdb.h"
#include "bloomery/formats/redisbloom.h"
#include "bloomery/formats/redisbloom_dump.h"
#include "bloomery/formats/redisbloom_layer.h"
#include "bloomery/formats/redisbloom_rdb.h"
#include "bloomery/formats/rediscuckoo.h"
#include "bloomery/formats/rediscuckoo_dump.h"

namespace bloomery {
namespace {

TEST(CompatHeaders, NameWhatTheHeadersOfVersion01Named) {
  BlockFilter block{{4, 6}};
  EXPECT_TRUE(block.insert(bytes_of("apple")));
  NativeFilter native{NativeBlock{std::move(block)}};
  EXPECT_TRUE(looks_like_native(encode_native(native)));
  EXPECT_TRUE(ConcurrentBlockFilter::for_goal({100, 0.01}));
  EXPECT_EQ(Bitmap{9}.bytes().size(), 2U);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(CompatHeaders, KeepTheNamesThatChanged) {
  const AnyFilter filter{NativeBlock{BlockFilter{{4, 6}}}};
  const HonestDescription described = describe_honestly(filter, {.samples = 0});
  EXPECT_EQ(described.description.layout, "block");
}
#pragma GCC diagnostic pop

}  // namespace
}  // namespace bloomery
