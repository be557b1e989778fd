#include "bloomery/filter/classic/double_hash.h"

#include <gtest/gtest.h>

#include "bloomery/filter/classic/classic.h"
#include "bloomery/filter/measure.h"
#include "bloomery/hash/fnv.h"
#include "bloomery/hash/xxh.h"
#include "tests/filter/many_keys.h"

namespace bloomery {
namespace {

Hash128 good(ByteView key) noexcept { return xxh3_128(key); }
Hash128 fixed(ByteView) noexcept { return {10, 7}; }

TEST(DoubleHash, ProbesStepByTheSecondNumber) {
  using Fixed = DoubleHash<fixed>;
  const auto digest = Fixed::digest({});
  EXPECT_EQ(Fixed::probe(digest, 0, Modulus{16}), 10U);
  EXPECT_EQ(Fixed::probe(digest, 1, Modulus{16}), 1U);
  EXPECT_EQ(Fixed::probe(digest, 2, Modulus{16}), 8U);
}

TEST(DoubleHash, AGoodHashKeepsItsRate) {
  auto filter = ClassicFilter<DoubleHash<good>>::for_goal({20000, 0.01});
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->shape().bits % 2, 1U);
  filter->insert_batch(testing::ManyKeys{20000}.views());
  EXPECT_LT(measured_rate(*filter, 100000, 3), 0.01 + 4 * std::sqrt(0.01 / 100000));
}

}  // namespace
}  // namespace bloomery
