#include "apps/tracker/scan/scanner.h"

#include <gtest/gtest.h>

#include "apps/tracker/state/tracker_model.h"
#include "tests/apps/tracker/scan/memory_tree.h"
#include "tests/full_run.h"

namespace bloomery::tracker {
namespace {

CycleGoal goal() { return {.rate = 0.01, .first_keys = 64}; }

// A tree, the tracker that its changes are marked in, and the cache of its scans.
struct World {
  MemoryFolder root = {};
  TrackerModel model{State{.history = History::starting_at(next_cycle_id(1), 0, goal(), "new")}};
  std::optional<UsageCache> cache = {};
  std::uint64_t identities = 0;
  std::uint64_t reads = 0;
  ScanRules rules = {};

  MemoryFolder& folder(const std::string& path) {
    MemoryFolder* at = &root;
    std::string_view rest{path};
    while (!rest.empty()) {
      const std::string name{rest.substr(0, rest.find('/'))};
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      auto& below = at->folders[name];
      if (!below) below = std::make_unique<MemoryFolder>(MemoryFolder{++identities});
      at = below.get();
    }
    return *at;
  }
  void mark(const std::string& path) {
    model.mark(path);
    model.flush();
  }
  void lose_state() {
    model =
        TrackerModel{State{.history = History::starting_at(next_cycle_id(1), 0, goal(), "lost")}};
  }
  ScanResult scan(const ScanHooks& hooks = {}) {
    EXPECT_TRUE(model.cycle(model.next_request(), 0));
    const HistorySource source{model.state()->history.snapshot()};
    ScanFrame frame{.cycle = model.state()->history.current().id};
    if (cache) {
      frame.known = &*cache;
      frame.scan = cache->scan + 1;
      frame.full_from = cache->full_from;
      if (frame.full_from == 0 && rules.full) frame.full_from = frame.scan;
    }
    MemoryReader reader{root};
    auto result = scan_tree(reader, source, "", rules, frame, hooks);
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_TRUE(is_whole_tree(result->cache.body));
    reads = reader.reads;
    UsageCache saved = result->cache;  // as if it had been a file
    saved.root = "/tree";
    auto bytes = encode_usage_header(saved);
    bytes.insert(bytes.end(), saved.body.begin(), saved.body.end());
    auto loaded = decode_usage_cache(bytes, {});
    EXPECT_TRUE(loaded) << loaded.error().message;
    cache = std::move(*loaded);
    return std::move(*result);
  }
  void expect_exact(const std::string& when) {
    const CountedTree exact = counted(root);
    const CountedTree said = counted(*cache);
    if (exact == said) return;
    for (const auto& [path, sum] : exact) {
      const auto found = said.find(path);
      ASSERT_TRUE(found != said.end()) << when << ": '" << path << "' is missing";
      ASSERT_EQ(found->second, sum) << when << ": '" << path << "'";
    }
    FAIL() << when << ": a folder that is gone is still there";
  }
};

ScanHooks stop_after(std::uint64_t reads) {
  return {.before_read = [reads](const ScanCounts& counts, std::uint64_t) {
    return counts.read < reads;
  }};
}

World ten_by_ten() {
  World world;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      world.folder(std::to_string(i) + "/" + std::to_string(j)).files["f"] = 10;
  world.rules.sweep = 0;
  return world;
}

TEST(Scanner, ReadsOnlyTheWayToWhatChanged) {
  World world = ten_by_ten();
  EXPECT_EQ(world.scan().counts.added, 111U);
  EXPECT_EQ(world.scan().counts.read, 0U) << "nothing was marked";
  world.folder("3/4").files["f"] = 99;
  world.mark("3/4/f");
  const ScanResult result = world.scan();
  EXPECT_EQ(result.counts.read, 3U);
  EXPECT_EQ(result.counts.from_cache, 108U);
  EXPECT_TRUE(result.complete);
  world.expect_exact("after a change");
}

TEST(Scanner, ReadsANewFolderWithAllBelowAndForgetsOneThatIsGone) {
  World world = ten_by_ten();
  world.scan();
  world.folder("new/a/b").files["f"] = 7;
  world.root.folders.erase("5");
  world.mark("new");
  world.mark("5");
  EXPECT_EQ(world.scan().counts.added, 3U);
  world.expect_exact("after a folder came and one went");
}

TEST(Scanner, AFolderInThePlaceOfAnotherIsNewWithAllBelow) {
  World world = ten_by_ten();
  world.scan();
  world.root.folders["9"] = std::move(world.root.folders["8"]);  // mv 8 9, which was there
  world.root.folders.erase("8");
  world.folder("9/3").files["g"] = 1;  // before it was moved
  world.mark("8");
  world.mark("9");
  world.scan();
  world.expect_exact("after a folder replaced another");
}

TEST(Scanner, AFolderWithTheInodeOfTheOneItReplacedIsNewAllTheSame) {
  World world = ten_by_ten();
  world.scan();
  world.folder("9").born = 1;
  for (auto& [name, inside] : world.folder("9").folders) inside->files["f"] = 3;
  world.mark("9");  // and not those in it
  world.scan();
  world.expect_exact("after a folder was made anew");
}

TEST(Scanner, AnUnreadableFolderIsTriedAgainUntilItIsRead) {
  World world = ten_by_ten();
  world.folder("2/2").unreadable = true;
  for (int i = 0; i < 3; ++i) {
    const ScanResult result = world.scan();
    EXPECT_EQ(result.counts.unreadable, 1U);
    ASSERT_EQ(result.problems.size(), 1U);
    EXPECT_EQ(result.problems.front().path, "2/2");
    if (i > 0) {
      EXPECT_EQ(result.counts.read, 1U) << "and nothing but it";
    }
    world.expect_exact("while it is unreadable");
  }
  world.folder("2/2").unreadable = false;
  EXPECT_EQ(world.scan().counts.unreadable, 0U);
  world.expect_exact("when it can be read, though it was not marked");
  EXPECT_EQ(world.scan().counts.read, 0U);
}

TEST(Scanner, AnInterruptedFirstScanGoesOnWhereItWas) {
  World world = ten_by_ten();
  std::uint64_t reads = 0;
  int scans = 0;
  for (bool complete = false; !complete; ++scans) {
    complete = world.scan(stop_after(20)).complete;
    reads += world.reads;
  }
  EXPECT_EQ(reads, 111U) << "no folder was read twice";
  EXPECT_EQ(scans, 6);
  world.expect_exact("in the end");
}

TEST(Scanner, AnInterruptedScanForgetsNeitherOldChangesNorNewOnes) {
  World world = ten_by_ten();
  world.scan();
  for (const char* path : {"1/1", "5/5", "9/9"}) {
    world.folder(path).files["f"] = 77;
    world.mark(std::string{path} + "/f");
  }
  EXPECT_FALSE(world.scan(stop_after(4)).complete) << "the root, 1, 1/1 and 5 were read";
  world.folder("1/1").files["f"] = 78;  // after it was read
  world.mark("1/1/f");
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(world.scan(stop_after(1)).complete);
  EXPECT_TRUE(world.scan().complete);
  world.expect_exact("after many interruptions");
}

TEST(Scanner, AnInterruptedFullScanIsContinued) {
  World world = ten_by_ten();
  world.scan();
  world.folder("0/0").files["unmarked"] = 5;
  world.folder("9/9").files["unmarked"] = 6;
  world.rules.full = true;
  EXPECT_FALSE(world.scan(stop_after(100)).complete);
  world.rules.full = false;
  const ScanResult rest = world.scan();
  EXPECT_TRUE(rest.complete);
  EXPECT_LE(rest.counts.read, 15U);
  EXPECT_GE(rest.counts.read, 11U);
  world.expect_exact("after the rest");
  EXPECT_EQ(world.cache->full_from, 0U);
  EXPECT_EQ(world.scan().counts.read, 0U);
}

TEST(Scanner, ATrackerThatLostItsStateMeansThatEverythingIsReadOnce) {
  World world = ten_by_ten();
  for (int i = 0; i < 5; ++i) world.scan();
  world.lose_state();
  world.folder("4/4").files["f"] = 1;  // without a mark
  EXPECT_EQ(world.scan().counts.read, 111U);
  world.expect_exact("after the loss");
  EXPECT_EQ(world.scan().counts.read, 0U);
}

TEST(Scanner, ACheckpointIsACacheThatAScanCanGoOnFrom) {
  World world = ten_by_ten();
  world.scan();
  for (int i = 0; i < 10; ++i) {
    world.folder(std::to_string(i)).files["f"] = 1;
    world.mark(std::to_string(i) + "/f");
  }
  std::vector<UsageCache> checkpoints;
  ScanHooks hooks;
  hooks.checkpoint_every = std::chrono::steady_clock::duration::zero();
  hooks.checkpoint_pause = 0;
  hooks.checkpoint = [&](UsageCache& cache) { checkpoints.push_back(std::move(cache)); };
  const UsageCache before = *world.cache;
  world.scan(hooks);
  ASSERT_GE(checkpoints.size(), 3U);
  for (UsageCache& checkpoint : checkpoints) {
    ASSERT_TRUE(is_whole_tree(checkpoint.body));
    world.cache = std::move(checkpoint);
    EXPECT_TRUE(world.scan().complete);
    world.expect_exact("from a checkpoint");
  }
}

TEST(Scanner, TheSweepReadsEveryFolderOnceInARoundAndFindsWhatNobodyMarked) {
  World world = ten_by_ten();
  world.scan();
  for (const char* path : {"0/0", "3/7", "9/9"}) world.folder(path).files["unmarked"] = 1;
  world.rules.sweep = 20;
  ScanCounts sum;
  for (int i = 0; i < 20; ++i) {
    const ScanCounts counts = world.scan().counts;
    EXPECT_LE(counts.read, 6U);
    sum.swept += counts.swept;
    sum.unmarked += counts.unmarked;
  }
  EXPECT_EQ(sum.swept, 111U);
  EXPECT_EQ(sum.unmarked, 3U);
  world.expect_exact("after a round");
}

TEST(Scanner, MinioRulesReadALeafInItsTurnOnly) {
  World world = ten_by_ten();
  world.rules = {.minio_exact = true, .sweep = kMinioSweepEvery};
  world.scan();
  for (int i = 0; i < 20; ++i) world.scan();
  world.folder("3/4").files["f"] = 99;
  world.mark("3/4/f");
  int scans = 0;
  while (counted(*world.cache) != counted(world.root)) {
    ASSERT_LE(++scans, 16) << "its turn never came";
    const std::uint64_t cycle = world.model.state()->history.current().id.index + 1;
    const ScanCounts counts = world.scan().counts;
    const bool turn = minio_turn("3", cycle, kMinioSweepEvery);
    EXPECT_EQ(counts.read > 1, turn) << cycle;
  }
  EXPECT_FALSE(minio_turn("a", 3, 0));
  EXPECT_TRUE(minio_turn("a", 3, 1));
}

// Random trees under random changes; the scans are interrupted, the tree changes while they run,
// the state or the cache is lost. After a scan that nothing disturbed, every folder is exact.
class Chaos {
 public:
  explicit Chaos(unsigned seed) : random_{seed} { world_.rules.sweep = pick(3) == 0 ? 0 : 8; }

  void run(int rounds) {
    for (int round = 0; round < rounds && !::testing::Test::HasFatalFailure(); ++round) {
      for (unsigned i = pick(6); i > 0; --i) change();
      if (pick(40) == 0) world_.lose_state();
      if (pick(40) == 0) world_.cache.reset();
      world_.rules.full = pick(25) == 0;
      if (pick(2) == 0) {
        disturbed_scan();
      } else if (world_.scan().complete) {
        world_.expect_exact("round " + std::to_string(round));
      }
    }
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::string name() { return std::string(1, static_cast<char>('a' + pick(4))); }

  std::string existing() {
    std::string path;
    const MemoryFolder* at = &world_.root;
    while (!at->folders.empty() && pick(4) != 0) {
      auto next = at->folders.begin();
      std::advance(next, pick(static_cast<unsigned>(at->folders.size())));
      path = joined(path, next->first);
      at = next->second.get();
    }
    return path;
  }
  static std::string joined(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "/" + name;
  }

  void change() {
    const std::string path = existing();
    MemoryFolder& folder = world_.folder(path);
    const std::string what = name();
    switch (pick(7)) {
      case 0:
      case 1:
        folder.files[what] = pick(1000000);
        return world_.mark(joined(path, what));
      case 2:
        folder.files.erase(what);
        return world_.mark(joined(path, what));
      case 3:
      case 4:
        (void)world_.folder(joined(path, what));
        return world_.mark(joined(path, what));
      case 5:
        if (pick(3) == 0) folder.folders.erase(what);
        return world_.mark(joined(path, what));
      default:
        if (pick(4) == 0) {  // neither this nor the other way is a change that is marked
          if (!path.empty()) folder.unreadable = false;
          return;
        }
        return move(path, what);
    }
  }

  void move(const std::string& from, const std::string& what) {
    MemoryFolder& source = world_.folder(from);
    const auto found = source.folders.find(what);
    if (found == source.folders.end()) return;
    auto moved = std::move(found->second);
    source.folders.erase(found);
    world_.mark(joined(from, what));
    const std::string to = existing();
    const std::string as = name();
    if (pick(3) == 0) moved->unreadable = true;
    world_.folder(to).folders[as] = std::move(moved);
    world_.mark(joined(to, as));
  }

  void disturbed_scan() {
    ScanHooks hooks;
    const unsigned stop = pick(12);
    hooks.before_read = [this, stop](const ScanCounts& counts, std::uint64_t) {
      if (pick(5) == 0) change();
      return stop > 8 || counts.read < stop;
    };
    std::optional<UsageCache> killed;
    hooks.checkpoint_every = std::chrono::steady_clock::duration::zero();
    hooks.checkpoint_pause = 0;
    hooks.checkpoint = [&](UsageCache& so_far) {
      ASSERT_TRUE(is_whole_tree(so_far.body));
      if (pick(3) == 0) killed = std::move(so_far);
    };
    world_.scan(hooks);
    if (killed && pick(2) == 0) world_.cache = std::move(killed);
  }

  World world_;
  std::mt19937 random_;
};

TEST(Scanner, IsExactAfterEveryScanThatNothingDisturbed) {
  const unsigned seeds = testing::full_run() ? 2000 : 40;
  for (unsigned seed = 0; seed < seeds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Chaos{seed}.run(120);
  }
}

}  // namespace
}  // namespace bloomery::tracker
