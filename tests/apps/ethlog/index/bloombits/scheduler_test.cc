// What one thread can see of the scheduler and the distributor; the rest is in tests/concurrency.
#include "apps/ethlog/index/bloombits/scheduler.h"

#include <gtest/gtest.h>

#include "apps/ethlog/index/bloombits/bounded_queue.h"
#include "apps/ethlog/index/bloombits/distributor.h"

namespace bloomery::ethlog {
namespace {

using Bytes = std::vector<std::byte>;
using Sections = std::vector<std::uint64_t>;

std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}
Bytes vector_of(unsigned content) { return Bytes(4, static_cast<std::byte>(content)); }
unsigned content_of(std::optional<ByteView> vector) {
  return vector ? static_cast<unsigned>((*vector)[0]) : 999;
}

TEST(Scheduler, OnlyTheFirstWhoAsksMustFetch) {
  Scheduler scheduler{5};
  EXPECT_EQ(scheduler.bit(), 5U);
  EXPECT_TRUE(scheduler.ask(3));
  EXPECT_FALSE(scheduler.ask(3));
  EXPECT_TRUE(scheduler.ask(4));
  const Sections sections = {3};
  scheduler.deliver(sections, {vector_of(1)});
  EXPECT_FALSE(scheduler.ask(3));
}

TEST(Scheduler, VectorsAreHandedOutInTheOrderOfTheAskingWhateverOrderTheyComeIn) {
  Scheduler scheduler{0};
  for (std::uint64_t section = 0; section < 5; ++section) scheduler.ask(section);
  for (const std::uint64_t section : {3U, 0U, 4U, 2U, 1U}) {
    const Sections sections = {section};
    scheduler.deliver(sections, {vector_of(static_cast<unsigned>(section))});
  }
  for (std::uint64_t section = 0; section < 5; ++section)
    EXPECT_EQ(content_of(scheduler.await(section, {})), section);
}

TEST(Scheduler, UnrequestedAndSecondDeliveriesAreIgnored) {
  Scheduler scheduler{0};
  scheduler.ask(1);
  const Sections sections = {7, 1};
  scheduler.deliver(sections, {vector_of(70), vector_of(10)});
  const ByteView first = *scheduler.await(1, {});
  scheduler.deliver(sections, {vector_of(71), vector_of(11)});
  EXPECT_EQ(content_of(scheduler.await(1, {})), 10U);
  EXPECT_EQ(scheduler.await(1, {})->data(), first.data()) << "views stay valid";
  EXPECT_TRUE(scheduler.ask(7)) << "the unrequested one was not kept";
}

TEST(Scheduler, AResetForgetsWhatNeverCameAndKeepsWhatDid) {
  Scheduler scheduler{0};
  scheduler.ask(1);
  scheduler.ask(2);
  const Sections sections = {2};
  scheduler.deliver(sections, {vector_of(20)});
  scheduler.reset();
  EXPECT_TRUE(scheduler.ask(1));
  EXPECT_FALSE(scheduler.ask(2));
  EXPECT_EQ(content_of(scheduler.await(2, {})), 20U);
}

TEST(Scheduler, AStoppedWaitGivesWhatIsThereAndNothingElse) {
  Scheduler scheduler{0};
  scheduler.ask(1);
  scheduler.ask(2);
  const Sections sections = {2};
  scheduler.deliver(sections, {vector_of(20)});
  EXPECT_FALSE(scheduler.await(1, stopped()));
  EXPECT_EQ(content_of(scheduler.await(2, stopped())), 20U);
}

TEST(Distributor, TheBitWithTheLowestSectionGoesFirst) {
  Distributor distributor;
  distributor.request(1, 9);
  distributor.request(2, 4);
  distributor.request(3, 6);
  distributor.request(3, 2);
  EXPECT_EQ(distributor.allocate({}), 3U);
  EXPECT_EQ(distributor.allocate({}), 2U);
  EXPECT_EQ(distributor.allocate({}), 1U);
  EXPECT_EQ(distributor.allocate(stopped()), std::nullopt);
}

TEST(Distributor, ABitIsOneCallersUntilItTakesTheSections) {
  Distributor distributor;
  for (const std::uint64_t section : {5U, 1U, 3U, 1U}) distributor.request(7, section);
  EXPECT_EQ(distributor.pending(7), 3U);
  EXPECT_EQ(distributor.allocate({}), 7U);
  distributor.request(7, 0);  // makes it the lowest, and still allocated
  EXPECT_EQ(distributor.allocate(stopped()), std::nullopt);
  distributor.request(8, 100);
  EXPECT_EQ(distributor.allocate({}), 8U);
  EXPECT_EQ(distributor.take(7, 2), (Sections{0, 1}));
  EXPECT_EQ(distributor.allocate({}), 7U) << "some remained";
  EXPECT_EQ(distributor.take(7, 0), Sections{});
  EXPECT_EQ(distributor.allocate({}), 7U) << "none was taken";
  EXPECT_EQ(distributor.take(7, 10), (Sections{3, 5}));
  EXPECT_EQ(distributor.pending(7), 0U);
  EXPECT_EQ(distributor.take(8, 10), Sections{100});
  EXPECT_EQ(distributor.pending(9), 0U) << "never heard of";
}

TEST(Distributor, WhatIsPutBackIsWantedAgainInItsPlace) {
  Distributor distributor;
  for (std::uint64_t section = 0; section < 4; ++section) distributor.request(1, section);
  distributor.request(2, 1);
  EXPECT_EQ(distributor.allocate({}), 1U);
  EXPECT_EQ(distributor.take(1, 3), (Sections{0, 1, 2}));
  const Sections missing = {2, 0};
  distributor.put_back(1, missing);
  EXPECT_EQ(distributor.pending(1), 3U);
  EXPECT_EQ(distributor.allocate({}), 1U);
  EXPECT_EQ(distributor.take(1, 9), (Sections{0, 2, 3}));
  EXPECT_EQ(distributor.allocate({}), 2U);
}

TEST(Distributor, GatheringEndsWhenTheBatchIsFullTheTimeIsOverOrStopped) {
  Distributor distributor;
  distributor.request(1, 0);
  distributor.request(1, 1);
  ASSERT_EQ(distributor.allocate({}), 1U);
  distributor.gather(1, 2, std::chrono::hours{10}, {});
  distributor.gather(1, 3, std::chrono::hours{10}, stopped());
  distributor.gather(1, 3, std::chrono::nanoseconds{1}, {});
  distributor.gather(1, 3, std::chrono::nanoseconds{0}, {});
  EXPECT_EQ(distributor.take(1, 3), (Sections{0, 1}));
}

TEST(BoundedQueue, GivesBackWhatWentInAndEndsWhenClosed) {
  BoundedQueue<int> queue{3};
  EXPECT_TRUE(queue.push(1, {}));
  EXPECT_TRUE(queue.push(2, {}));
  queue.close();
  EXPECT_FALSE(queue.push(3, {}));
  EXPECT_EQ(queue.pop({}), 1);
  EXPECT_EQ(queue.pop({}), 2);
  EXPECT_EQ(queue.pop({}), std::nullopt);
}

TEST(BoundedQueue, AStopEndsEveryWait) {
  BoundedQueue<int> queue{1};
  EXPECT_EQ(queue.pop(stopped()), std::nullopt);
  EXPECT_TRUE(queue.push(1, {}));
  EXPECT_FALSE(queue.push(2, stopped())) << "it is full";
  EXPECT_EQ(queue.pop({}), 1);
}

}  // namespace
}  // namespace bloomery::ethlog
