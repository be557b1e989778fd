// A counting filter against a multiset: whatever is inserted and removed, no key that is in is
// denied. The filters are tiny, so that probes coincide and counters stick.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "bloomery/filter/classic/bloomery_classic.h"
#include "bloomery/filter/classic/counting.h"

namespace bloomery {
namespace {

ByteView bytes_of_number(const std::uint32_t& number) {
  return std::as_bytes(std::span{&number, 1});
}

// Few keys and mostly inserts make counters stick.
template <unsigned kCounterBits, std::uint32_t kKeys>
void obeys_the_model(const std::vector<std::pair<bool, std::uint8_t>>& steps, Shape shape) {
  CountingFilter<BloomeryClassic, kCounterBits> filter{shape};
  std::map<std::uint32_t, unsigned> model;
  std::uint64_t inside = 0;
  bool ever_stuck = false;
  for (const auto& [insert, small] : steps) {
    const std::uint32_t key = small % kKeys;
    if (insert || small >= 128) {
      const bool was_in = filter.may_contain(bytes_of_number(key));
      RC_ASSERT(filter.insert(bytes_of_number(key)) == !was_in);
      ++model[key];
      ++inside;
    } else if (model[key] > 0) {
      RC_ASSERT(filter.remove(bytes_of_number(key)));
      --model[key];
      --inside;
    }
    ever_stuck = ever_stuck || filter.stuck_counters() > 0;
    for (const auto& [held, times] : model)
      if (times > 0) RC_ASSERT(filter.may_contain(bytes_of_number(held)));
  }
  RC_ASSERT(filter.provenance().keys_inserted == inside);
  RC_TAG(ever_stuck ? "stuck" : "never stuck");
  for (auto& [held, times] : model)
    for (; times > 0; --times) RC_ASSERT(filter.remove(bytes_of_number(held)));
  if (!ever_stuck) RC_ASSERT(filter.health().fill == 0);
}

Shape tiny_shape() {
  return {*rc::gen::inRange<std::uint64_t>(8, 200), *rc::gen::inRange<std::uint32_t>(1, 9)};
}
using Steps = std::vector<std::pair<bool, std::uint8_t>>;

TEST(CountingModel, TwoBitCountersNeverDenyAKey) {
  EXPECT_TRUE(rc::check([](const Steps& steps) { obeys_the_model<2, 24>(steps, tiny_shape()); }));
}
TEST(CountingModel, FourBitCountersNeverDenyAKey) {
  EXPECT_TRUE(rc::check([](const Steps& steps) { obeys_the_model<4, 3>(steps, tiny_shape()); }));
}
TEST(CountingModel, EightBitCountersNeverDenyAKey) {
  EXPECT_TRUE(rc::check([](const Steps& steps) { obeys_the_model<8, 24>(steps, tiny_shape()); }));
}

}  // namespace
}  // namespace bloomery
