// What a fleet knows, step by step, in a memory that loses what it should lose.
#include <gmock/gmock.h>

#include "apps/tracker/fleet/client.h"
#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/fleet/memory.h"
#include "bloomery/base/file.h"
#include "tests/apps/tracker/fleet/fleet_world.h"

namespace bloomery::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three servers of which each has its own part of the tree, and one part is everybody's; a scanner
// that has seen it all twice, so that it knows.
class Fleet : public ::testing::Test {
 protected:
  Fleet() {
    for (const char* part : {"a", "b", "c", "shared"})
      for (int i = 0; i < 5; ++i) world.truth[message(part, "/", i)] = 1;
    for (const char* name : {"a", "b", "c"}) world.add_server(name, {name, "shared"});
    world.add_scanner();
    world.nodes_answer();
    scan();
    scan();
  }
  TestServer& server(std::size_t i) { return *world.servers[i]; }
  TestScanner& scanner() { return *world.scanners.front(); }
  void scan() {
    std::string trouble;
    ASSERT_TRUE(world.scan(scanner(), &trouble)) << trouble;
    ASSERT_EQ(world.stale(scanner()), "");
  }
  std::vector<std::string> incomplete() {
    std::vector<std::string> names;
    for (const auto& share : scanner().incomplete) names.push_back(share.node);
    return names;
  }

  FleetWorld world;
};

TEST_F(Fleet, WhatNobodyTouchedIsNotReadAndWhatAnyServerTouchedIs) {
  scan();
  EXPECT_EQ(scanner().read, 0U);
  EXPECT_THAT(incomplete(), IsEmpty());
  world.write(server(0), "a/1");
  world.write(server(2), "shared/3");
  scan();
  EXPECT_EQ(scanner().read, 2U);
  scan();
  EXPECT_EQ(scanner().read, 0U);
}

TEST_F(Fleet, ANodeThatDiedMakesExactlyItsShareIncompleteUntilItIsBack) {
  world.kill(server(1));
  world.write(server(1), "b/0");
  for (int i = 0; i < 3; ++i) {
    world.write(server(1), "shared/0");
    scan();
    EXPECT_THAT(incomplete(), ::testing::ElementsAre("b"));
    EXPECT_EQ(scanner().read, 10U) << "b and shared, and nothing of a and c";
  }
  world.write(server(1), "b/2");
  world.start(server(1));
  scan();
  EXPECT_EQ(scanner().read, 10U);
  scan();
  EXPECT_EQ(scanner().read, 0U);
}

TEST_F(Fleet, APausedNodeSaysLaterWhatItCouldNotSayInTime) {
  server(1).paused = true;
  scan();
  EXPECT_EQ(scanner().read, 10U);
  world.write(server(1), "b/4");
  world.resume(server(1));
  world.write(server(1), "b/3");
  scan();
  EXPECT_THAT(incomplete(), IsEmpty());
  EXPECT_EQ(scanner().read, 2U);
}

TEST_F(Fleet, AnAnswerThatComesAfterTheScanBeganIsNotForgotten) {
  server(1).paused = true;
  auto leader = world.elect(scanner());
  ASSERT_TRUE(leader);
  const auto cycle = (*leader)->begin_cycle();
  ASSERT_TRUE(cycle) << cycle.error().message;
  world.read_folders(scanner(), *cycle);
  world.write(server(1), "b/4");  // behind the scanner's back
  world.resume(server(1));
  world.step_all();
  EXPECT_NE(server(1).steps->status().answered, cycle->history.current().id);
  leader->reset();
  scan();
  EXPECT_EQ(scanner().read, 1U);
}

TEST_F(Fleet, AReplyThatIsLostNeitherLosesNorRepeatsAChange) {
  int calls = 0;
  world.write(server(0), "a/1");
  world.redis.loses = [&] { return ++calls % 3 == 0; };
  for (int i = 0; i < 20; ++i) (void)world.scan(scanner());
  world.redis.loses = {};
  world.redis.now += FakeFleet::kLock;
  scan();
}

TEST_F(Fleet, ANodeThatStoppedProperlyIsNotWaitedForAndIncompleteAllTheSame) {
  world.stop(server(2));
  world.write(server(2), "c/1");
  const auto before = world.redis.now;
  scan();
  EXPECT_LT(world.redis.now - before, FakeFleet::kAlive);
  EXPECT_THAT(incomplete(), ::testing::ElementsAre("c"));
}

TEST_F(Fleet, WhoIsToldToLeaveIsIncompleteOnceMoreAndThenForgotten) {
  FakeStore store{world.redis};
  EXPECT_EQ(store.forget("b").error().code, ErrorCode::kInvalidArgument) << "it lives";
  EXPECT_EQ(store.forget("nobody").error().code, ErrorCode::kInvalidArgument);
  world.write(server(1), "b/1");
  world.kill(server(1));
  world.write(server(1), "b/2");
  world.redis.now += FakeFleet::kAlive;
  world.step_all();
  ASSERT_TRUE(store.forget("b"));
  scan();
  EXPECT_THAT(incomplete(), ::testing::ElementsAre("b"));
  scan();
  EXPECT_THAT(incomplete(), IsEmpty());
  EXPECT_EQ(scanner().read, 0U);
  EXPECT_EQ(store.view()->find("b"), nullptr);
}

TEST_F(Fleet, WhoWasAddedAgainJoinsAgainWhenRedisIsOlderThanThat) {
  FakeStore store{world.redis};
  world.kill(server(1));
  world.redis.now += FakeFleet::kAlive;
  world.step_all();
  ASSERT_TRUE(store.forget("b"));
  const auto leaving = world.redis.memory;
  scan();
  const auto left = world.redis.memory;
  ASSERT_EQ(store.view()->find("b"), nullptr);
  world.start(server(1));
  for (const auto& old : {leaving, left}) {
    scan();
    world.redis.restart(old);
    world.step_all();
    EXPECT_FALSE(server(1).steps->status().ended) << server(1).steps->status().problem;
    world.step_all();
    EXPECT_TRUE(server(1).steps->status().joined);
    scan();
    world.write(server(1), "b/1");
    scan();
  }
}

TEST_F(Fleet, AnEmptiedRedisMakesEverythingUnknownAndForgetsNoMember) {
  world.kill(server(1));
  world.redis.restart({});
  world.step_all();
  scan();
  EXPECT_EQ(scanner().read, 20U);
  world.write(server(1), "b/2");
  scan();
  EXPECT_THAT(incomplete(), ::testing::Contains("b"));
  world.write(server(1), "b/2");
  scan();
  EXPECT_THAT(incomplete(), ::testing::ElementsAre("b"));
  EXPECT_EQ(scanner().read, 10U);
}

TEST_F(Fleet, ANewScannerOnAnEmptiedRedisLearnsFromTheOthersWhoIsMissing) {
  world.step_all();
  world.kill(server(1));
  world.redis.restart({});
  world.add_scanner();
  TestScanner& fresh = *world.scanners.back();
  world.step_all();  // a and c come back, and b is in their memory
  for (int i = 0; i < 3; ++i) {
    world.write(server(1), "b/2");
    ASSERT_TRUE(world.scan(fresh));
    EXPECT_EQ(world.stale(fresh), "");
  }
}

TEST_F(Fleet, WithoutAnyNodeEverythingMayHaveChanged) {
  FleetWorld empty;
  empty.truth["x"] = 1;
  empty.add_scanner();
  TestScanner& lonely = *empty.scanners.front();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(empty.scan(lonely));
    EXPECT_EQ(lonely.read, 1U);
  }
}

TEST_F(Fleet, AnOlderSnapshotOfRedisMakesOneScanReadEverything) {
  const auto old = world.redis.memory;
  for (int i = 0; i < 3; ++i) {
    world.write(server(0), message("a/", i));
    scan();
  }
  world.write(server(0), "a/4");
  world.redis.restart(old);
  scan();
  EXPECT_EQ(scanner().read, 20U);
  EXPECT_THAT(scanner().incomplete.front().reason, HasSubstr("restarted"));
  scan();
  EXPECT_EQ(scanner().read, 0U);
}

TEST_F(Fleet, ALeaderThatLostItsLockCanWriteNothing) {
  auto paused = world.elect(scanner());
  ASSERT_TRUE(paused);
  EXPECT_FALSE(world.elect(scanner())) << "one at a time";
  world.redis.now += FakeFleet::kLock;
  auto other = world.elect(scanner());
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_GT((*other)->seat().fence, (*paused)->seat().fence);
  EXPECT_FALSE((*paused)->begin_cycle());
  EXPECT_FALSE((*paused)->finish_scan());
  EXPECT_FALSE((*paused)->hold());
  EXPECT_TRUE((*other)->begin_cycle());
  EXPECT_FALSE((*paused)->finish_scan());
  paused->reset();  // and it does not take the other's lock away
  EXPECT_TRUE((*other)->finish_scan());
  EXPECT_FALSE(world.elect(scanner()));
}

TEST_F(Fleet, ALeaderThatWasReplacedLeadsNoMoreThoughTheLockIsFree) {
  auto paused = world.elect(scanner());
  ASSERT_TRUE(paused);
  world.redis.now += FakeFleet::kLock;
  scan();
  EXPECT_FALSE((*paused)->hold());
  EXPECT_FALSE((*paused)->begin_cycle());
  paused->reset();
  scan();
}

TEST_F(Fleet, ALeaderWhoseLockExpiredWhileNobodyElseCameLeadsOn) {
  auto leader = world.elect(scanner());
  ASSERT_TRUE(leader);
  world.redis.now += FakeFleet::kLock;
  EXPECT_TRUE((*leader)->hold());
  EXPECT_FALSE(world.elect(scanner()));
}

TEST_F(Fleet, AnAnswerOnItsWayWhenTheGatheringClosesIsRefused) {
  FakeStore store{world.redis};
  const auto seat = store.lead({.name = "x", .owner = "1"});
  ASSERT_TRUE(seat && *seat);
  const auto begun = store.begin(**seat, 99, {});
  ASSERT_TRUE(begun);
  const CycleId before = server(1).steps->status().answered;
  server(1).on_close = [&] { ASSERT_TRUE(store.close_gathering(**seat, begun->current)); };
  world.step(server(1));
  EXPECT_EQ(server(1).steps->status().answered, before) << "what it saw, it says in the next cycle";
}

TEST_F(Fleet, RootsThatAnOlderRedisDoesNotKnowAreStillPartOfTheShare) {
  const auto old = world.redis.memory;
  world.kill(server(1));
  server(1).share = {"b", "c", "shared"};
  world.start(server(1));
  scan();
  world.kill(server(1));
  world.redis.restart(old);
  for (int i = 0; i < 3; ++i) {
    world.write(server(1), "c/1");
    scan();
  }
}

TEST(FleetHistory, AMergedFilterOfAnotherCycleOfThatNumberIsNotBelieved) {
  const FleetView view{.current = {3, 33}, .chain = {{3, 33}, {2, 22}, {1, 11}}};
  const auto merged = [](CycleId id) -> Result<std::optional<std::vector<std::byte>>> {
    Cycle cycle;
    cycle.id = {id.index, id.index == 1 ? 12U : id.token};
    return std::optional{encode_cycle(cycle)};
  };
  const auto history = fleet_history(view, merged, {}, {});
  ASSERT_TRUE(history);
  EXPECT_FALSE(history->may_have_changed("a", {2, 22}));
  EXPECT_TRUE(history->may_have_changed("a", {2, 23}));
  EXPECT_TRUE(history->may_have_changed("a", {1, 11}));
  EXPECT_TRUE(history->may_have_changed("a", {1, 12}));
}

TEST(FleetGather, AnAnswerMustReachBackToACycleOfTheChain) {
  FleetView view{.current = {3, 33}, .chain = {{3, 33}, {2, 22}, {1, 11}}, .same_server = true};
  view.members.push_back({.name = "n", .instance = 7, .share = {"n"}, .answered = 3});
  for (const CycleId since : {CycleId{2, 22}, {1, 11}, {2, 23}, {3, 33}, {9, 99}, {}}) {
    NodeAnswer answer{.instance = 7, .since = since, .cycle = {}};
    answer.cycle.id = view.current;
    const auto gathered = gather(
        view,
        [&](const Member&) -> Result<std::vector<std::byte>> { return encode_answer(answer); }, {},
        {});
    const bool reaches = since == CycleId{2, 22} || since == CycleId{1, 11};
    EXPECT_EQ(gathered.incomplete.empty(), reaches) << since.index << ":" << since.token;
    EXPECT_EQ(gathered.filter.may_have_changed("n/x"), !reaches);
    EXPECT_FALSE(gathered.filter.may_have_changed("m"));
  }
}

TEST_F(Fleet, ALeaderThatDiedWhileItGatheredLeavesNothingUnknown) {
  world.write(server(0), "a/2");
  auto leader = world.elect(scanner());
  ASSERT_TRUE(leader);
  world.redis.fails = [&] {
    return world.redis.memory.view.current.index > 2 && !world.redis.in_view;
  };
  EXPECT_FALSE((*leader)->begin_cycle());
  leader->reset();
  world.redis.fails = {};
  world.step_all();
  world.redis.now += FakeFleet::kLock;
  scan();
  EXPECT_EQ(scanner().read, 1U) << "its answers were merged by the next leader";
}

TEST_F(Fleet, ANameBelongsToOneStateFolder) {
  TestServer& second = world.add_server("a", {"a"});
  EXPECT_TRUE(second.steps->status().ended);
  EXPECT_THAT(second.steps->status().problem, HasSubstr("another state folder"));
  scan();
  EXPECT_THAT(incomplete(), IsEmpty()) << "the first is not disturbed";
}

TEST_F(Fleet, ANodeThatComesBackWithOtherRootsKeepsTheOldOnesInItsShare) {
  world.write(server(1), "b/1");
  world.kill(server(1));
  world.write(server(1), "b/2");
  server(1).share = {"c"};
  world.start(server(1));
  scan();
  EXPECT_EQ(scanner().read, 15U) << "b, c and shared";
}

TEST_F(Fleet, AnAnswerThatIsDamagedOrOfAnotherProcessIsNone) {
  for (int kind = 0; kind < 3; ++kind) {
    world.redis.on_view = [&] {
      world.step_all();
      auto& bytes = world.redis.memory.answers["b"];
      if (kind == 0 && !bytes.empty()) bytes[bytes.size() / 2] ^= std::byte{1};
      if (kind == 1) bytes.resize(bytes.size() / 2);
      if (kind == 2) bytes = world.redis.memory.answers["a"];
    };
    scan();
    EXPECT_THAT(incomplete(), ::testing::ElementsAre("b")) << kind;
    EXPECT_EQ(scanner().read, 10U);
    // The node believes that its answer was read, so what it said must have been taken as lost.
    world.nodes_answer();
    scan();
    EXPECT_THAT(incomplete(), IsEmpty());
  }
}

TEST_F(Fleet, AScanThatWasLeftOutForLongIsToldEverythingItMissed) {
  world.add_scanner();
  TestScanner& seldom = *world.scanners.back();
  ASSERT_TRUE(world.scan(seldom));
  for (int i = 0; i < 10; ++i) {
    if (i == 3) world.write(server(0), "a/3");
    scan();
  }
  ASSERT_TRUE(world.scan(seldom));
  EXPECT_EQ(world.stale(seldom), "");
  EXPECT_EQ(seldom.read, 1U);
  for (std::uint32_t i = 0; i <= kCyclesKept; ++i) scan();
  ASSERT_TRUE(world.scan(seldom));
  EXPECT_EQ(seldom.read, 20U) << "more cycles than are kept";
}

std::unique_ptr<FleetClient> access_to(FleetWorld& world, TestScanner& scanner,
                                       FleetFallback fallback) {
  return open_fleet(
      [&world]() -> Result<std::unique_ptr<FleetStore>> {
        return std::unique_ptr<FleetStore>{std::make_unique<FakeStore>(world.redis, true)};
      },
      {.fleet = "test",
       .name = "scanner",
       .state_folder = scanner.folder.path(),
       .lock_patience = {},
       .hold_every = std::chrono::hours{1},
       .look_every = {}},
      fallback);
}

TEST_F(Fleet, BehindTheInterfaceOfATrackerAScanBeginsAsWithOne) {
  const auto fleet = access_to(world, scanner(), FleetFallback::kEverything);
  const std::vector<std::string> paths{"a", "b/1", "a/1"};
  std::vector<std::uint8_t> answers;
  EXPECT_FALSE(fleet->query(paths, {}, answers)) << "nothing was begun";
  world.write(server(0), "a/1");
  EXPECT_EQ(*fleet->roots(), (std::vector<std::string>{"/a", "/b", "/c", "/shared"}));
  const auto begun = fleet->next_cycle();
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_TRUE(begun->complete);
  ASSERT_TRUE(fleet->query(paths, {}, answers));
  EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 0, 1}));
  ASSERT_TRUE(fleet->query(paths, begun->current, answers));
  EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1, 1})) << "no node has reported it yet";
  EXPECT_FALSE(fleet->snapshot()->may_have_changed("b/1", scanner().cache["b/1"].since));
  EXPECT_TRUE(fleet->finish_scan());
  const auto other = access_to(world, scanner(), FleetFallback::kEverything);
  EXPECT_FALSE(other->next_cycle()) << "another leads: that is no reason to go without the fleet";
}

TEST_F(Fleet, WhileRedisIsSilentEverythingMayHaveChanged) {
  world.redis.down = true;
  EXPECT_FALSE(access_to(world, scanner(), FleetFallback::kNone)->next_cycle());
  const auto fleet = access_to(world, scanner(), FleetFallback::kEverything);
  EXPECT_EQ(fleet->roots()->size(), 4U) << "as its folder remembers them";
  const auto begun = fleet->next_cycle();
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->complete);
  EXPECT_TRUE(fleet->snapshot()->may_have_changed("a/1", scanner().cache["a/1"].since));
  EXPECT_TRUE(fleet->finish_scan());
  world.redis.down = false;
  for (auto& [folder, seen] : scanner().cache) seen.since = begun->current;
  scan();
  EXPECT_EQ(scanner().read, 20U) << "no fleet knows that cycle";
}

TEST(FleetShare, UnitingRootsKeepsTheOuterOnesAndEverythingIsEverything) {
  EXPECT_EQ(union_of({"a/b", "c"}, {"a", "c/d"}), (Share{"a", "c"}));
  EXPECT_EQ(union_of({"a"}, {}), Share{});
  EXPECT_EQ(union_of({"ab"}, {"a"}), (Share{"a", "ab"}));
}

TEST(FleetNames, AreShortAndPlain) {
  EXPECT_TRUE(check_name("a node", "web-1.example_x"));
  for (const std::string_view bad : {"", "a b", "a:b", "{a}", "a/b", "\xc3\xa4"})
    EXPECT_FALSE(check_name("a node", bad)) << bad;
  EXPECT_FALSE(check_name("a node", std::string(65, 'a')));
}

NodeAnswer some_answer() {
  NodeAnswer answer{.instance = 7, .since = {3, 9}, .cycle = {}};
  answer.cycle.id = {4, 5};
  answer.cycle.filter.flag_below("x/y");
  return answer;
}

TEST(FleetCodec, AnAnswerComesBackAndEveryCutAndFlipIsSeen) {
  const auto bytes = encode_answer(some_answer());
  const auto back = decode_answer(bytes, {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->instance, 7U);
  EXPECT_EQ(back->since, (CycleId{3, 9}));
  EXPECT_EQ(encode_answer(*back), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(decode_answer(ByteView{bytes}.first(size), {})) << size;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto flipped = bytes;
    flipped[i] ^= std::byte{0x10};
    ASSERT_FALSE(decode_answer(flipped, {})) << i;
  }
}

TEST(FleetCodec, SharesAndMemoriesComeBackAndDamageIsSeen) {
  const Share share{"a", "b/c"};
  const std::string text = encode_share(share);
  EXPECT_EQ(*decode_share(text), share);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_share(text.substr(0, size)));
  EXPECT_FALSE(decode_share(encode_share({"/unclean/"})));
  EXPECT_FALSE(decode_share(std::string("\xff\xff\xff\x7f", 4)));

  const FleetMemory memory{"f", 1, 2, {{"n", share}, {"whole", {}}}};
  const auto bytes = encode_memory(memory);
  EXPECT_EQ(*decode_memory(bytes), memory);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_memory(ByteView{bytes}.first(size)));
}

TEST(FleetMemory, ADamagedFileIsANewMemoryAndAnotherFleetsKeepsTheIdentity) {
  const ScratchFolder folder;
  const auto file = folder.path() / kNodeMemoryFile;
  const FleetMemory memory{"one", 5, 9, {{"n", {}}}};
  ASSERT_TRUE(save_memory(file, memory));
  EXPECT_EQ(load_memory(file, "one"), memory);
  EXPECT_EQ(load_memory(file, "two"), (FleetMemory{"two", 5, 0, {}}));
  ASSERT_TRUE(save_file(file, bytes_of("nonsense")));
  EXPECT_THAT(load_memory(file, "one").members, IsEmpty());
}

}  // namespace
}  // namespace bloomery::tracker
