#include "bloomery/gpu/plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "bloomery/gpu/layouts.h"

namespace bloomery::gpu {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Work work(std::uint64_t filter_bytes, std::uint64_t keys, std::uint32_t carried = 8) {
  return {filter_bytes / 64, 64, keys, carried};
}
double bytes_per_key(Operation operation, const Work& of) {
  return static_cast<double>(workspace_bytes(operation, of)) / static_cast<double>(of.keys);
}

TEST(Plan, GoesDirectlyBelowTheThresholds) {
  struct Case {
    Operation operation;
    std::uint64_t filter_bytes, keys;
    bool partitioned;
  };
  for (const Case& c : {Case{Operation::kInsert, 16 * kMiB, (1 << 21) - 1, false},
                        Case{Operation::kInsert, 16 * kMiB, 1 << 21, true},
                        Case{Operation::kInsert, 8192 * kMiB, 8192 * kMiB / 80 - 1, false},
                        Case{Operation::kInsert, 8192 * kMiB, 8192 * kMiB / 80, true},
                        Case{Operation::kLookup, 64 * kMiB, 1 << 29, false},
                        Case{Operation::kLookup, 128 * kMiB, (1 << 23) - 1, false},
                        Case{Operation::kLookup, 128 * kMiB, 1 << 23, true},
                        Case{Operation::kLookup, 8192 * kMiB, 8192 * kMiB / 80, true}}) {
    const Work w = work(c.filter_bytes, c.keys);
    const std::uint64_t bytes = workspace_bytes(c.operation, w);
    EXPECT_EQ(bytes != 0, c.partitioned) << c.filter_bytes << " " << c.keys;
    const auto made = plan(c.operation, w, bytes, Method::kAuto);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->partitioned, c.partitioned);
    EXPECT_EQ(made->parts, 1);
    EXPECT_EQ(made->part_keys, c.keys);
    EXPECT_LE(made->workspace_bytes, bytes);
  }
}

TEST(Plan, TakesTheWorkspaceThatWasMeasured) {
  EXPECT_NEAR(bytes_per_key(Operation::kInsert, work(16 * kMiB, 13'000'000)), 8.2, 0.15);
  EXPECT_NEAR(bytes_per_key(Operation::kInsert, work(256 * kMiB, 214'000'000)), 8.2, 0.15);
  EXPECT_NEAR(bytes_per_key(Operation::kInsert, work(1024 * kMiB, 859'000'000)), 16.4, 0.3);
  EXPECT_NEAR(bytes_per_key(Operation::kInsert, work(1024 * kMiB, 859'000'000, 16)), 24.4, 0.4);
  EXPECT_NEAR(bytes_per_key(Operation::kLookup, work(1024 * kMiB, 1 << 29)), 12.1, 0.3);
}

TEST(Plan, SplitsWhatDoesNotFitWhileItPays) {
  const Work w = work(1024 * kMiB, 800'000'000);
  const std::uint64_t all = workspace_bytes(Operation::kInsert, w);
  for (std::uint64_t share = 1; share <= 50; ++share) {
    const auto made = plan(Operation::kInsert, w, all / share, Method::kAuto);
    ASSERT_TRUE(made);
    EXPECT_LE(made->workspace_bytes, all / share);
    EXPECT_LT((made->parts - 1) * made->part_keys, w.keys);
    EXPECT_GE(made->parts * made->part_keys, w.keys);
    if (made->partitioned) {
      EXPECT_TRUE(made->parts == 1 || made->part_keys % kPartMultiple == 0);
      EXPECT_GE(made->part_keys, 1024 * kMiB / 80);
    } else {
      EXPECT_EQ(made->parts, 1);
      EXPECT_GT(share, 20);
    }
  }
  EXPECT_FALSE(plan(Operation::kInsert, w, 0, Method::kAuto)->partitioned);
}

TEST(Plan, SplitsBatchesBeyondTheCountersOfBuckets) {
  const Work w = work(8192 * kMiB, std::uint64_t{1} << 34);
  for (const Operation operation : {Operation::kInsert, Operation::kLookup}) {
    const auto made = plan(operation, w, workspace_bytes(operation, w), Method::kAuto);
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->partitioned);
    EXPECT_EQ(made->parts, 10);
    EXPECT_LE(made->part_keys, std::uint64_t{7} << 28);
  }
}

TEST(Plan, RefusesAForcedWayWithoutRoom) {
  const Work w = work(16 * kMiB, 5000);
  const auto made = plan(Operation::kInsert, w, 100, Method::kPartitioned);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(made.error().message.find("needs a workspace of at least"), std::string::npos);
  const auto fits = plan(Operation::kInsert, w, 10 * kMiB, Method::kPartitioned);
  ASSERT_TRUE(fits);
  EXPECT_TRUE(fits->partitioned);
  EXPECT_FALSE(plan(Operation::kInsert, w, 10 * kMiB, Method::kDirect)->partitioned);
}

TEST(Plan, DoesNothingForNoKeys) {
  for (const Method method : {Method::kAuto, Method::kDirect, Method::kPartitioned}) {
    const auto made = plan(Operation::kLookup, work(kMiB, 0), 0, method);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->parts, 0);
  }
}

// What the kernels rely on: buckets counted in 16 bits and held in shared memory, chunks that fit
// there, pieces of the workspace that do not overlap.
TEST(Layouts, StayWithinWhatKernelsCanDo) {
  std::vector<Tuning> tunings(1);
  for (const std::uint32_t kib : {4u, 64u, 128u, 1u << 20})
    for (const std::uint32_t group : {1u, 8u, 256u, 1u << 20})
      for (const std::uint32_t percent : {1u, 100u}) {
        Tuning tuning;
        tuning.chunk_kib = kib;
        tuning.lookup_chunk_kib = kib;
        tuning.chunks_of_group = group;
        tuning.room_percent = percent;
        tunings.push_back(tuning);
      }
  for (const Tuning& tuning : tunings)
    for (const std::uint64_t blocks :
         {1ull, 777ull, 1ull << 22, (1ull << 26) + 1, (1ull << 32) - 1})
      for (const std::uint64_t keys : {1ull, 1ull << 20, 7ull << 28})
        for (const std::uint32_t carried : {8u, 16u}) {
          const Work w{blocks, 64, keys, carried};
          const auto in = internal::insert_layout(w, tuning);
          EXPECT_LE(std::uint64_t{64} << in.chunk_shift, 128 * 1024);
          EXPECT_LE(in.has_groups() ? in.groups : in.chunks, internal::kMostBuckets);
          EXPECT_LE(1u << in.group_shift, internal::kMostBuckets);
          EXPECT_GE(std::uint64_t{in.chunks} << in.chunk_shift, blocks);
          EXPECT_EQ(in.chunk_room % 256, 0);
          EXPECT_GE(in.chunk_items, in.cursor_bytes);
          const std::uint64_t buckets =
              in.has_groups() ? std::uint64_t{in.groups} << in.group_shift : in.chunks;
          EXPECT_GE(in.chunk_items - (in.has_groups() ? in.group_items : in.cursor_bytes),
                    in.has_groups() ? std::uint64_t{in.group_room} * in.groups * carried : 0);
          EXPECT_GE(in.bytes - in.chunk_items, buckets * in.chunk_room * 8);
          EXPECT_GE(buckets, in.chunks);
          const auto look = internal::lookup_layout(w, tuning);
          EXPECT_LE(look.chunks, internal::kMostBuckets);
          EXPECT_GE(look.tiles * internal::tile_keys(look.tile), keys);
          EXPECT_GE(look.bytes - look.items, std::uint64_t{look.room} * look.chunks * carried);
          const std::uint64_t tile_bytes = internal::tile_keys(look.tile) * (carried + 2ull);
          EXPECT_LE(tile_bytes + look.chunks * 8 + 16, 227 * 1024);
        }
}

}  // namespace
}  // namespace bloomery::gpu
