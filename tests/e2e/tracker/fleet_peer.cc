// A node or a leader of a fleet, driven line by line from stdin; each line is answered by one. For
// fleet.py, which pauses and kills them.
//   fleet_peer node URL NAME STATE ROOT...   mark PATH | status | stop
//   fleet_peer lead URL STATE LOCK_MS PATIENCE_MS
//     elect | begin | changed INDEX:TOKEN PATH | finish | hold | release
#include <iostream>
#include <sstream>

#include "apps/tracker/fleet/leader.h"
#include "apps/tracker/fleet/node.h"
#include "apps/tracker/fleet/redis.h"
#include "apps/tracker/state/paths.h"
#include "apps/tracker/state/tracker.h"

namespace bloomery::tracker {
namespace {

constexpr std::chrono::milliseconds kAlive{800};

void say(const std::string& line) { std::cout << line << std::endl; }

std::string one_line(std::string text) {
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  return text;
}

int run_node(const std::vector<std::string>& words) {
  const auto address = parse_fleet_address(words.at(0));
  if (!address) return say(address.error().message), 2;
  FleetNodeOptions options{.fleet = address->key, .name = words.at(1), .state_folder = words.at(2)};
  for (std::size_t i = 3; i < words.size(); ++i) options.share.push_back(clean_path(words[i]));
  auto tracker = Tracker::open({.folder = words[2], .watching = true});
  if (!tracker) return say(tracker.error().message), 2;
  auto store = open_fleet_in_redis(
      *address, {.alive_time = kAlive, .beat_every = std::chrono::milliseconds{100}});
  const auto close = [&]() -> Result<History> {
    if (auto begun = (*tracker)->next_cycle(); !begun) return begun.error();
    return (*tracker)->snapshot();
  };
  auto node = FleetNode::start(options, std::move(store), close);
  if (!node) return say(node.error().message), 2;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("mark ")) {
      say((*tracker)->mark(line.substr(5)) ? "marked" : "lost");
    } else if (line == "status") {
      const FleetNodeStatus status = (*node)->status();
      say((status.ended    ? "ended "
           : status.joined ? "joined "
                           : "apart ") +
          std::to_string(status.answered.index) + " " + one_line(status.problem));
    } else if (line == "stop") {
      (*node)->stop();
      (void)(*tracker)->close();
      say("stopped");
      return 0;
    }
  }
  return 0;
}

class Lead {
 public:
  explicit Lead(const std::vector<std::string>& words)
      : address_{*parse_fleet_address(words.at(0))},
        lock_{std::stoi(words.at(2))},
        options_{.fleet = address_.key,
                 .name = "peer",
                 .state_folder = words.at(1),
                 .patience = std::chrono::milliseconds{std::stoi(words.at(3))},
                 .alive_time = kAlive,
                 .lock_patience = {},
                 .hold_every = lock_ / 3} {}

  std::string act(const std::string& verb, std::istringstream& rest) {
    if (verb == "elect") return elect();
    if (!leader_) return "no leader";
    if (verb == "begin") return begin();
    if (verb == "changed") return changed(rest);
    if (verb == "finish") return told((*leader_)->finish_scan());
    if (verb == "hold") return told((*leader_)->hold());
    leader_.reset();
    return "ok";
  }

 private:
  static std::string told(const Status& status) {
    return status ? "ok" : "refused " + one_line(status.error().message);
  }
  std::string elect() {
    auto leader = FleetLeader::elect(
        [this]() -> Result<std::unique_ptr<FleetStore>> {
          return open_fleet_in_redis(address_, {.lock_time = lock_, .alive_time = kAlive});
        },
        options_);
    if (!leader) return "refused " + one_line(leader.error().message);
    leader_.emplace(std::move(*leader));
    return "leads " + std::to_string((*leader_)->seat().fence);
  }
  std::string begin() {
    auto cycle = (*leader_)->begin_cycle();
    if (!cycle) return "refused " + one_line(cycle.error().message);
    const CycleId id = cycle->history.current().id;
    std::string line = "cycle " + std::to_string(id.index) + ":" + std::to_string(id.token);
    for (const IncompleteShare& share : cycle->incomplete)
      line += " " + (share.node.empty() ? std::string{"*"} : share.node);
    history_.emplace(std::move(cycle->history));
    return line;
  }
  std::string changed(std::istringstream& rest) {
    CycleId since;
    char colon = 0;
    std::string path;
    rest >> since.index >> colon >> since.token >> path;
    return history_ && history_->may_have_changed(clean_path(path), since) ? "yes" : "no";
  }

  redis_client::RedisAddress address_;
  std::chrono::milliseconds lock_;
  FleetLeaderOptions options_;
  std::optional<std::unique_ptr<FleetLeader>> leader_;
  std::optional<History> history_;
};

int run_lead(const std::vector<std::string>& words) {
  Lead lead{words};
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream rest{line};
    std::string verb;
    rest >> verb;
    say(lead.act(verb, rest));
  }
  return 0;
}

}  // namespace
}  // namespace bloomery::tracker

int main(int count, char** texts) {
  std::vector<std::string> words{texts + 1, texts + count};
  if (words.size() < 4) return 2;
  const std::string role = words.front();
  words.erase(words.begin());
  return role == "node" ? bloomery::tracker::run_node(words) : bloomery::tracker::run_lead(words);
}
