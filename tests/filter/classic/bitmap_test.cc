#include "bloomery/filter/classic/bitmap.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <random>
#include <set>

namespace bloomery {
namespace {

TEST(Bitmap, SetsRemovesAndGets) {
  Bitmap bitmap{10};
  EXPECT_EQ(bitmap.size(), 10u);
  EXPECT_FALSE(*bitmap.get(9));
  ASSERT_TRUE(bitmap.set(9));
  EXPECT_TRUE(*bitmap.get(9));
  EXPECT_FALSE(*bitmap.get(8));
  EXPECT_EQ(bitmap.count(), 1u);
  ASSERT_TRUE(bitmap.remove(9));
  EXPECT_FALSE(*bitmap.get(9));
  EXPECT_EQ(bitmap.count(), 0u);
}

TEST(Bitmap, KeepsBitIInByteIOverEightAtBitIModuloEight) {
  Bitmap bitmap{20};
  for (const std::uint64_t bit : {0u, 9u, 19u}) ASSERT_TRUE(bitmap.set(bit));
  ASSERT_EQ(bitmap.bytes().size(), 3u);
  EXPECT_EQ(bitmap.bytes()[0], std::byte{0x01});
  EXPECT_EQ(bitmap.bytes()[1], std::byte{0x02});
  EXPECT_EQ(bitmap.bytes()[2], std::byte{0x08});
}

TEST(Bitmap, RefusesAnIndexOutOfRangeAndTouchesNothing) {
  for (const std::uint64_t bits : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 65u}) {
    Bitmap bitmap{bits};
    // UINT64_MAX is what -1 becomes on its way in.
    for (const std::uint64_t bit : {bits, bits + 1, bits + 64, UINT64_MAX}) {
      for (const Status& status : {bitmap.set(bit), bitmap.remove(bit)}) {
        ASSERT_FALSE(status) << bits << ' ' << bit;
        EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
      }
      EXPECT_FALSE(bitmap.get(bit)) << bits << ' ' << bit;
    }
    EXPECT_EQ(bitmap.count(), 0u);
  }
  EXPECT_EQ(Bitmap{8}.get(8).error().message, "bit 8 is out of range: the bitmap has 8 bits");
}

TEST(Bitmap, HasNoMoreBytesThanItsBitsNeed) {
  EXPECT_EQ(Bitmap{0}.bytes().size(), 0u);
  EXPECT_EQ(Bitmap{1}.bytes().size(), 1u);
  EXPECT_EQ(Bitmap{8}.bytes().size(), 1u);
  EXPECT_EQ(Bitmap{9}.bytes().size(), 2u);
}

TEST(Bitmap, OfMoreBitsThanMemoryThrowsBadAlloc) {
  EXPECT_THROW(Bitmap{UINT64_MAX}, std::bad_alloc);
}

TEST(Bitmap, TakesItsMemoryFromTheResource) {
  EXPECT_THROW((Bitmap{100, std::pmr::null_memory_resource()}), std::bad_alloc);
}

TEST(Bitmap, AgreesWithASetUnderRandomWork) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t bits = 1 + random() % 500;
    Bitmap bitmap{bits};
    std::set<std::uint64_t> model;
    for (int step = 0; step < 500; ++step) {
      const std::uint64_t bit = random() % (bits + 20);
      const bool inside = bit < bits;
      if (random() % 3 != 0) {
        EXPECT_EQ(bitmap.set(bit).has_value(), inside);
        if (inside) model.insert(bit);
      } else {
        EXPECT_EQ(bitmap.remove(bit).has_value(), inside);
        model.erase(bit);
      }
    }
    ASSERT_EQ(bitmap.count(), model.size());
    for (std::uint64_t bit = 0; bit < bits; ++bit)
      ASSERT_EQ(*bitmap.get(bit), model.count(bit) == 1) << bit;
  }
}

}  // namespace
}  // namespace bloomery
