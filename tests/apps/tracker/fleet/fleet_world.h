// A fleet in a test, and the truth beside it: folders with versions, writers on several servers,
// scanners that keep what they read. A scanner that believes a folder which changed is caught.
#pragma once
#include <gtest/gtest.h>

#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/fleet/node.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/tracker_model.h"
#include "bloomery/base/message.h"
#include "tests/apps/tracker/fleet/fake_fleet.h"
#include "tests/base/scratch_folder.h"

namespace bloomery::tracker {

// A server: its watcher may be dead or paused while its users go on writing.
struct TestServer {
  std::string name;
  Share share;
  ScratchFolder folder;
  std::unique_ptr<History> local;         // null: no watcher
  std::unique_ptr<FleetNodeSteps> steps;  // null: likewise
  bool paused = false;
  std::vector<std::string> unheard = {};  // changes that wait for a paused watcher
  std::function<void()> on_close = {};    // between the question and its answer

  bool watches() const { return steps != nullptr; }
};

struct TestScanner {
  struct Seen {
    std::uint64_t version = 0;
    CycleId since = {};
  };
  ScratchFolder folder;
  std::map<std::string, Seen> cache;
  std::size_t read = 0;  // in the last scan
  std::vector<IncompleteShare> incomplete;
};

class FleetWorld {
 public:
  FakeFleet redis;
  std::map<std::string, std::uint64_t> truth;  // folder → version
  std::vector<std::unique_ptr<TestServer>> servers;
  std::vector<std::unique_ptr<TestScanner>> scanners;

  TestServer& add_server(const std::string& name, Share share) {
    servers.push_back(std::make_unique<TestServer>());
    servers.back()->name = name;
    servers.back()->share = std::move(share);
    start(*servers.back());
    return *servers.back();
  }
  void add_scanner() { scanners.push_back(std::make_unique<TestScanner>()); }

  void start(TestServer& server) {
    server.paused = false;
    server.unheard.clear();
    server.local = std::make_unique<History>(
        History::starting_at(next_cycle_id(1), 0, {}, "no watcher ran before"));
    History* local = server.local.get();
    TestServer* self = &server;
    server.steps = std::make_unique<FleetNodeSteps>(
        FleetNodeOptions{.fleet = "test",
                         .name = server.name,
                         .share = server.share,
                         .state_folder = server.folder.path()},
        std::make_unique<FakeStore>(redis), [local, self]() -> Result<History> {
          if (self->on_close) self->on_close();
          if (auto begun = local->begin(next_cycle_id(local->current().id.index + 1), 0); !begun)
            return begun.error();
          return local->snapshot();
        });
    step(server);
  }
  void kill(TestServer& server) {
    server.steps.reset();
    server.local.reset();
    server.paused = false;
    server.unheard.clear();
  }
  void stop(TestServer& server) {
    if (server.steps) server.steps->depart();
    kill(server);
  }
  void resume(TestServer& server) {
    server.paused = false;
    for (const std::string& path : server.unheard) mark(server, path);
    server.unheard.clear();
  }
  void step(TestServer& server) {
    if (server.steps && !server.paused) (void)server.steps->step();
  }
  void step_all() {
    redis.now += 500;
    for (auto& server : servers) step(*server);
  }

  void write(TestServer& server, const std::string& folder) {
    ++truth[folder];
    if (!server.watches()) return;
    if (server.paused) {
      server.unheard.push_back(folder);
    } else {
      mark(server, folder);
    }
  }

  // False: the scanner could not begin a cycle, and read nothing.
  bool scan(TestScanner& scanner, std::string* trouble = nullptr) {
    auto leader = elect(scanner);
    if (!leader) {
      if (trouble) *trouble = leader.error().message;
      return false;
    }
    const auto cycle = (*leader)->begin_cycle();
    if (!cycle) {
      if (trouble) *trouble = cycle.error().message;
      return false;
    }
    read_folders(scanner, *cycle);
    (void)(*leader)->finish_scan();
    return true;
  }

  void read_folders(TestScanner& scanner, const FleetCycle& cycle) {
    scanner.read = 0;
    scanner.incomplete = cycle.incomplete;
    for (const auto& [folder, version] : truth) {
      auto& seen = scanner.cache[folder];
      if (cycle.history.may_have_changed(folder, seen.since)) {
        seen.version = version;
        ++scanner.read;
      }
      seen.since = cycle.history.current().id;
    }
  }

  Result<std::unique_ptr<FleetLeader>> elect(TestScanner& scanner) {
    return FleetLeader::elect(
        [this]() -> Result<std::unique_ptr<FleetStore>> {
          return std::unique_ptr<FleetStore>{std::make_unique<FakeStore>(redis, true)};
        },
        {.fleet = "test",
         .name = "scanner",
         .state_folder = scanner.folder.path(),
         .patience = std::chrono::seconds{5},
         .lock_patience = {},
         .hold_every = std::chrono::hours{1},
         .look_every = {}});
  }

  // All nodes that live answer while a leader waits; those that do not are silent for long enough.
  void nodes_answer() {
    redis.on_view = [this] { step_all(); };
  }

  // The first folder that the scanner believes to be as it was, and is not; empty if there is none.
  std::string stale(const TestScanner& scanner) const {
    for (const auto& [folder, version] : truth)
      if (const auto seen = scanner.cache.find(folder);
          seen == scanner.cache.end() || seen->second.version != version)
        return folder;
    return {};
  }

 private:
  static void mark(TestServer& server, const std::string& folder) {
    CycleFilter& filter = server.local->current().filter;
    for (std::string_view at = folder; !at.empty(); at = parent_of(at))
      filter.insert(path_digest(at));
    filter.insert(path_digest(""));
  }
};

}  // namespace bloomery::tracker
