// Random fates of a fleet: servers that die, pause and come back, leaders that die half-way,
// replies that are lost, a Redis that is down, emptied, or older than it was. Whatever happened:
// once the writers rest, a scan that ends has the truth.
#include <cstdlib>
#include <random>

#include "tests/apps/tracker/fleet/fleet_world.h"

namespace bloomery::tracker {
namespace {

class Fate {
 public:
  explicit Fate(std::uint64_t seed) : random_{seed} {
    for (const char* part : {"a", "b", "c", "shared"})
      for (int i = 0; i < 4; ++i) world_.truth[message(part, "/x/", i)] = 1;
    for (const char* name : {"a", "b", "c"})
      world_.add_server(name, chance(0.1) ? Share{} : Share{name, "shared"});
    for (int i = 0; i < 2; ++i) world_.add_scanner();
    // All know of each other: a node that was lost before any other knew of it cannot be missed.
    world_.nodes_answer();
    for (auto& scanner : world_.scanners) EXPECT_TRUE(world_.scan(*scanner));
    world_.step_all();
    old_.push_back(world_.redis.memory);
    live();
  }

  void run(int events) {
    for (int i = 0; i < events; ++i) {
      happen();
      if (chance(0.3)) (void)world_.scan(any_scanner());
      if (chance(0.15)) check(i);
      if (::testing::Test::HasFailure()) return;
    }
    check(events);
  }

 private:
  bool chance(double probability) { return std::bernoulli_distribution{probability}(random_); }
  template <class Container>
  auto& any(Container& from) {
    return *from[std::uniform_int_distribution<std::size_t>{0, from.size() - 1}(random_)];
  }
  TestScanner& any_scanner() { return any(world_.scanners); }

  void write_somewhere() {
    TestServer& server = any(world_.servers);
    std::vector<const std::string*> folders;
    for (const auto& [folder, version] : world_.truth)
      if (server.share.empty() ||
          std::any_of(server.share.begin(), server.share.end(),
                      [&](const auto& root) { return lies_in(folder, root); }))
        folders.push_back(&folder);
    world_.write(server, any(folders));
  }

  // While leaders wait for answers, life goes on.
  void live() {
    world_.redis.on_view = [this] {
      world_.redis.now += 1000;
      for (auto& server : world_.servers)
        if (chance(0.7)) world_.step(*server);
      if (chance(0.3)) write_somewhere();
      if (chance(0.05)) disturb(any(world_.servers));
    };
    world_.redis.fails = [this] { return chance(trouble_); };
    world_.redis.loses = [this] { return chance(trouble_); };
  }

  void disturb(TestServer& server) {
    switch (std::uniform_int_distribution<int>{0, 4}(random_)) {
      case 0:
        return world_.kill(server);
      case 1:
        return world_.stop(server);
      case 2:
        if (server.watches()) server.paused = true;
        return;
      case 3:
        if (server.paused) world_.resume(server);
        return;
      default:
        if (!server.watches()) world_.start(server);
    }
  }

  void happen() {
    for (int i = 0; i < 3; ++i) write_somewhere();
    if (chance(0.5)) world_.step_all();
    if (chance(0.4)) disturb(any(world_.servers));
    if (chance(0.1)) trouble_ = chance(0.5) ? 0.05 : 0;
    if (chance(0.1)) world_.redis.now += FakeFleet::kLock;
    if (chance(0.1)) old_.push_back(world_.redis.memory);
    if (chance(0.05)) world_.redis.down = !world_.redis.down;
    if (chance(0.05))
      world_.redis.restart(
          old_[std::uniform_int_distribution<std::size_t>{0, old_.size() - 1}(random_)]);
    if (chance(0.02)) world_.redis.restart({});
    // A key that Redis evicted.
    if (chance(0.03)) world_.redis.memory.merged.clear();
    if (chance(0.03)) world_.redis.memory.answers.clear();
  }

  // The writers rest; a scan that comes to its end has the truth.
  void check(int event) {
    const double trouble = std::exchange(trouble_, 0);
    const bool was_down = std::exchange(world_.redis.down, false);
    world_.redis.now += FakeFleet::kLock;
    const auto life = std::exchange(world_.redis.on_view, [this] { world_.step_all(); });
    TestScanner& scanner = any_scanner();
    std::string why;
    ASSERT_TRUE(world_.scan(scanner, &why)) << why;
    ASSERT_EQ(world_.stale(scanner), "") << "believed after event " << event;
    believed_ += world_.truth.size() - scanner.read;
    world_.redis.on_view = life;
    world_.redis.down = was_down;
    trouble_ = trouble;
  }

 public:
  std::size_t believed() const { return believed_; }

 private:
  std::mt19937_64 random_;
  FleetWorld world_;
  std::vector<FakeFleet::Memory> old_;
  double trouble_ = 0;
  std::size_t believed_ = 0;
};

TEST(FleetProperty, NoFateMakesAScanBelieveAFolderThatChanged) {
  const char* asked = std::getenv("BLOOMERY_FLEET_FATES");
  const int fates = asked != nullptr ? std::atoi(asked) : 60;
  std::size_t believed = 0;
  for (int seed = 1; seed <= fates && !HasFailure(); ++seed) {
    SCOPED_TRACE(message("seed ", seed));
    Fate fate{static_cast<std::uint64_t>(seed)};
    fate.run(60);
    believed += fate.believed();
  }
  EXPECT_GT(believed, static_cast<std::size_t>(fates))
      << "a fleet that knows nothing proves nothing";
}

}  // namespace
}  // namespace bloomery::tracker
