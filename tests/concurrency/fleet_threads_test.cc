// A fleet's nodes and leaders, each in threads of their own, over one memory: whatever the order,
// what was marked before a cycle began is in it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/fleet/node.h"
#include "apps/tracker/watch/watcher.h"
#include "bloomery/base/message.h"
#include "tests/apps/tracker/fleet/fake_fleet.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {
namespace {

using std::chrono::milliseconds;

struct SharedFleet {
  std::mutex mutex;
  FakeFleet fleet;
};

// Each step is one, as a script in Redis is; the clock is the machine's.
class SharedStore final : public FleetStore {
  template <class Step>
  auto locked(Step step) {
    const std::lock_guard lock{shared_.mutex};
    shared_.fleet.now = std::chrono::duration_cast<milliseconds>(
                            std::chrono::steady_clock::now().time_since_epoch())
                            .count();
    return step();
  }

 public:
  explicit SharedStore(SharedFleet& shared) : shared_{shared}, store_{shared.fleet} {}

  Result<FleetView> view() override {
    return locked([&] { return store_.view(); });
  }
  Result<Joined> join(const NodeSeat& seat, const Share& share, const std::optional<Share>& known,
                      const std::vector<RememberedMember>& remembered) override {
    return locked([&] { return store_.join(seat, share, known, remembered); });
  }
  Result<Poll> poll(const NodeSeat& seat) override {
    return locked([&] { return store_.poll(seat); });
  }
  Result<bool> answer(const NodeSeat& seat, CycleId cycle, ByteView bytes) override {
    return locked([&] { return store_.answer(seat, cycle, bytes); });
  }
  Status depart(const NodeSeat& seat) override {
    return locked([&] { return store_.depart(seat); });
  }
  Status forget(const std::string& name) override {
    return locked([&] { return store_.forget(name); });
  }
  Result<std::optional<LeaderSeat>> lead(LeaderSeat seat) override {
    return locked([&] { return store_.lead(seat); });
  }
  Status hold(const LeaderSeat& seat) override {
    return locked([&] { return store_.hold(seat); });
  }
  Result<FleetView> begin(const LeaderSeat& seat, std::uint64_t token,
                          const FleetMemory& memory) override {
    return locked([&] { return store_.begin(seat, token, memory); });
  }
  Result<FleetView> close_gathering(const LeaderSeat& seat, CycleId current) override {
    return locked([&] { return store_.close_gathering(seat, current); });
  }
  Result<std::vector<std::byte>> read_answer(const std::string& name) override {
    return locked([&] { return store_.read_answer(name); });
  }
  Status commit(const LeaderSeat& seat, CycleId current, std::optional<CycleId> ended,
                ByteView merged, const std::vector<std::string>& leaving) override {
    return locked([&] { return store_.commit(seat, current, ended, merged, leaving); });
  }
  Result<std::optional<std::vector<std::byte>>> read_merged(CycleId cycle) override {
    return locked([&] { return store_.read_merged(cycle); });
  }
  Status finish_scan(const LeaderSeat& seat, CycleId current) override {
    return locked([&] { return store_.finish_scan(seat, current); });
  }
  Status release(const LeaderSeat& seat) override {
    return locked([&] { return store_.release(seat); });
  }

 private:
  SharedFleet& shared_;
  FakeStore store_;
};

struct Node {
  ScratchFolder folder;
  std::unique_ptr<Watcher> watcher;
  std::unique_ptr<FleetNode> node;

  void start(SharedFleet& shared, const std::string& name) {
    auto started = Watcher::start({.tracker = {.folder = folder.path()}});
    ASSERT_TRUE(started) << started.error().message;
    watcher = std::move(*started);
    auto joined = FleetNode::start({.fleet = "test",
                                    .name = name,
                                    .share = {name},
                                    .state_folder = folder.path(),
                                    .poll_every = milliseconds{1},
                                    .retry_every = milliseconds{1}},
                                   std::make_unique<SharedStore>(shared), close_cycle_of(*watcher));
    ASSERT_TRUE(joined) << joined.error().message;
    node = std::move(*joined);
    EXPECT_TRUE(node->wait_joined(std::chrono::seconds{20}));
  }
};

// Returns how often a path that was marked before the cycle is not in it.
int lead_and_count_denied(SharedFleet& shared, Node& node, int thread, int cycles) {
  const ScratchFolder state;
  std::optional<CycleId> before;  // a cycle that had begun on every node
  int denied = 0;
  for (int i = 0; i < cycles; ++i) {
    const std::string path = message("web1/leader", thread, "/", i);
    EXPECT_TRUE(node.watcher->mark(std::span{&path, 1}, false));
    auto leader = FleetLeader::elect(
        [&]() -> Result<std::unique_ptr<FleetStore>> {
          return std::unique_ptr<FleetStore>{std::make_unique<SharedStore>(shared)};
        },
        {.fleet = "test",
         .name = message("leader", thread),
         .state_folder = state.path(),
         .patience = std::chrono::seconds{20},
         .lock_patience = std::chrono::seconds{20},
         .hold_every = milliseconds{1},
         .look_every = milliseconds{1}});
    EXPECT_TRUE(leader) << leader.error().message;
    if (!leader) return cycles;
    const auto cycle = (*leader)->begin_cycle();
    EXPECT_TRUE(cycle) << cycle.error().message;
    if (!cycle) return cycles;
    if (before && !cycle->history.may_have_changed(path, *before)) ++denied;
    before = cycle->history.current().id;
    EXPECT_TRUE((*leader)->finish_scan());
  }
  return denied;
}

TEST(ConcurrencyFleet, LeadersInTurnMissNothingThatNodesSaw) {
  SharedFleet shared;
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 3; ++i) {
    nodes.push_back(std::make_unique<Node>());
    nodes.back()->start(shared, message("web", i));
  }
  std::atomic<bool> over = false;
  std::atomic<int> denied = 0;
  {
    std::vector<std::jthread> markers;
    for (const auto& node : nodes)
      markers.emplace_back([&over, &node] {
        for (int i = 0; !over; ++i) {
          const std::string path = message("web0/", i % 50);
          EXPECT_TRUE(node->watcher->mark(std::span{&path, 1}, i % 10 == 0));
          (void)node->node->status();
          std::this_thread::sleep_for(milliseconds{1});
        }
      });
    {
      std::vector<std::jthread> leaders;
      for (int thread = 0; thread < 2; ++thread)
        leaders.emplace_back(
            [&, thread] { denied += lead_and_count_denied(shared, *nodes[1], thread, 6); });
    }
    nodes[2]->node->stop();  // while the others go on
    over = true;
  }
  EXPECT_EQ(denied, 0);
  for (const auto& node : nodes) node->node->stop();
}

}  // namespace
}  // namespace bloomery::tracker
