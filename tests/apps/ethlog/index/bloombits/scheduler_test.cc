// What one thread can see of the scheduler and the distributor; the rest is in tests/concurrency.
#include "apps/ethlog/index/bloombits/scheduler.h"

#include <gtest/gtest.h>

#include "apps/ethlog/index/bloombits/distributor.h"

namespace bloomery::ethlog {
namespace {

using Sections = std::vector<SectionId>;

std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}
FetchedVector vector_of(unsigned content, std::size_t bytes = 4) {
  return {std::vector<std::byte>(bytes, static_cast<std::byte>(content)), bytes};
}
unsigned content_of(const Scheduler::Handle& vector) {
  if (!vector->is_ready() || !vector->outcome()) return 999;
  return static_cast<unsigned>(vector->outcome()->bits[0]);
}

TEST(Scheduler, OnlyTheFirstSearchThatAsksMustFetch) {
  Scheduler scheduler{100};
  const auto first = scheduler.ask(5, {3, {}});
  EXPECT_TRUE(first.fresh);
  const auto second = scheduler.ask(5, {3, {}});
  EXPECT_FALSE(second.fresh);
  EXPECT_TRUE(scheduler.ask(5, {4, {}}).fresh) << "another section";
  EXPECT_TRUE(scheduler.ask(6, {3, {}}).fresh) << "another bit";
  EXPECT_TRUE(scheduler.ask(5, {3, keccak_hash({})}).fresh) << "after a reorganisation";
  scheduler.deliver(5, {3, {}}, vector_of(1));
  EXPECT_EQ(content_of(first.vector), 1U);
  EXPECT_EQ(first.vector, second.vector);
  EXPECT_FALSE(scheduler.ask(5, {3, {}}).fresh);
}

TEST(Scheduler, UnrequestedAndSecondDeliveriesAreIgnored) {
  Scheduler scheduler{100};
  const auto asked = scheduler.ask(0, {1, {}});
  scheduler.deliver(0, {7, {}}, vector_of(70));
  scheduler.deliver(0, {1, {}}, vector_of(10));
  scheduler.deliver(0, {1, {}}, vector_of(11));
  EXPECT_EQ(content_of(asked.vector), 10U);
  EXPECT_TRUE(scheduler.ask(0, {7, {}}).fresh) << "the unrequested one was not kept";
  EXPECT_EQ(scheduler.bytes(), 4U);
}

TEST(Scheduler, AnErrorReachesThoseWhoWaitAndIsNotKept) {
  Scheduler scheduler{100};
  const auto first = scheduler.ask(0, {1, {}});
  const auto second = scheduler.ask(0, {1, {}});
  scheduler.deliver(0, {1, {}}, Error{ErrorCode::kIo, "the disk is gone"});
  for (const auto& asked : {first, second}) {
    ASSERT_TRUE(scheduler.await(asked.vector, {}));
    EXPECT_EQ(asked.vector->outcome().error().message, "the disk is gone");
  }
  const auto again = scheduler.ask(0, {1, {}});
  EXPECT_TRUE(again.fresh);
  scheduler.deliver(0, {1, {}}, vector_of(3));
  EXPECT_EQ(content_of(again.vector), 3U);
}

TEST(Scheduler, AStoppedWaitEndsUnlessTheVectorIsThere) {
  Scheduler scheduler{100};
  const auto one = scheduler.ask(0, {1, {}});
  const auto two = scheduler.ask(0, {2, {}});
  scheduler.deliver(0, {2, {}}, vector_of(20));
  EXPECT_FALSE(scheduler.await(one.vector, stopped()));
  EXPECT_TRUE(scheduler.await(two.vector, stopped()));
}

TEST(Scheduler, AVectorWhoseSearchesAreGoneIsNotWanted) {
  Scheduler scheduler{100};
  auto asked = scheduler.ask(0, {1, {}});
  EXPECT_TRUE(scheduler.is_wanted(0, {1, {}}));
  asked.vector.reset();
  EXPECT_FALSE(scheduler.is_wanted(0, {1, {}}));
  EXPECT_TRUE(scheduler.ask(0, {1, {}}).fresh) << "and is fetched for the next that asks";
  EXPECT_FALSE(scheduler.is_wanted(0, {2, {}})) << "not asked for";
}

TEST(Scheduler, KeepsTheLastVectorsUpToItsLimit) {
  Scheduler scheduler{10};
  const auto fetch = [&](std::uint64_t section) {
    const auto asked = scheduler.ask(0, {section, {}});
    scheduler.deliver(0, {section, {}}, vector_of(1));
    return asked.vector;
  };
  fetch(1);
  fetch(2);
  EXPECT_FALSE(scheduler.ask(0, {1, {}}).fresh) << "used last";
  fetch(3);
  EXPECT_EQ(scheduler.bytes(), 8U);
  EXPECT_FALSE(scheduler.ask(0, {1, {}}).fresh);
  EXPECT_FALSE(scheduler.ask(0, {3, {}}).fresh);
  EXPECT_TRUE(scheduler.ask(0, {2, {}}).fresh);
  std::vector<Scheduler::Handle> held;
  for (std::uint64_t section = 10; section < 20; ++section) held.push_back(fetch(section));
  EXPECT_EQ(scheduler.bytes(), 40U) << "what a search holds stays";
  EXPECT_EQ(content_of(held[0]), 1U);
  held.clear();
  fetch(30);
  EXPECT_LE(scheduler.bytes(), 10U);
}

TEST(Distributor, TheBitWithTheLowestSectionGoesFirst) {
  Distributor distributor;
  distributor.request(1, {9, {}});
  distributor.request(2, {4, {}});
  distributor.request(3, {6, {}});
  distributor.request(3, {2, {}});
  EXPECT_EQ(distributor.take(9, {})->bit, 3U);
  EXPECT_EQ(distributor.take(9, {})->bit, 2U);
  EXPECT_EQ(distributor.take(9, {})->bit, 1U);
  EXPECT_FALSE(distributor.take(9, stopped()));
}

TEST(Distributor, SectionsOfABitAreTakenTogetherTheLowestFirst) {
  Distributor distributor;
  for (const std::uint64_t section : {5U, 1U, 3U, 1U, 0U}) distributor.request(7, {section, {}});
  distributor.request(8, {2, {}});
  auto taken = distributor.take(2, {});
  EXPECT_EQ(taken->bit, 7U);
  EXPECT_EQ(taken->sections, (Sections{{0, {}}, {1, {}}}));
  EXPECT_EQ(distributor.take(2, {})->bit, 8U) << "its section is lower than what remains";
  taken = distributor.take(2, {});
  EXPECT_EQ(taken->sections, (Sections{{3, {}}, {5, {}}}));
  EXPECT_FALSE(distributor.take(2, stopped()));
  distributor.request(7, {1, {}});
  EXPECT_EQ(distributor.take(2, {})->sections, (Sections{{1, {}}})) << "wanted again";
}

}  // namespace
}  // namespace bloomery::ethlog
