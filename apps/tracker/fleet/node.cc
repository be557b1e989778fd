#include "apps/tracker/fleet/node.h"

#include <algorithm>

#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/fleet/memory.h"
#include "apps/tracker/state/paths.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

constexpr int kJoinTries = 8;  // another changed the roots under our name meanwhile: that is rare

Status refusal(Joined outcome, const std::string& name) {
  switch (outcome) {
    case Joined::kTaken:
      return Error{ErrorCode::kInvalidArgument,
                   message("the name ", name,
                           " belongs to a node with another state folder: choose another, or say "
                           "`bloomery track leave --node ",
                           name, "` once that one is gone for good")};
    case Joined::kAlive:
      return Error{ErrorCode::kIo, message("a node ", name,
                                           " with this state folder lives on "
                                           "another machine; its name is free once it is silent")};
    case Joined::kTooMany:
      return Error{ErrorCode::kTooLarge,
                   message("the fleet has ", kMostNodes, " nodes, and takes no more")};
    default:
      return Error{ErrorCode::kIo, "others change the list of nodes all the time"};
  }
}

// All that changed since the local cycle `since` began.
CycleFilter seen_since(const History& history, CycleId since) {
  CycleFilter everything{history.goal()};
  if (since.index == 0) {
    everything.flag_everything("it began to watch in this cycle");
    return everything;
  }
  const auto& past = history.past();
  const bool known =
      history.current().id == since ||
      std::any_of(past.begin(), past.end(), [&](const auto& cycle) { return cycle->id == since; });
  if (known) return history.merged_from(since.index);
  everything.flag_everything("its tracker forgot the cycle that it answered last");
  return everything;
}

}  // namespace

CloseCycle close_cycle_of(TrackerClient& access) {
  return [&access]() -> Result<History> {
    if (auto begun = access.next_cycle(); !begun) return begun.error();
    return access.snapshot();
  };
}

FleetNodeSteps::FleetNodeSteps(FleetNodeOptions options, std::unique_ptr<FleetStore> store,
                               CloseCycle close)
    : options_{std::move(options)},
      store_{std::move(store)},
      close_{std::move(close)},
      memory_{load_memory(options_.state_folder / kNodeMemoryFile, options_.fleet)},
      seat_{.name = options_.name,
            .instance = new_fleet_token(),
            .identity = memory_.identity,
            .place = place_of(options_.state_folder)} {}

Status FleetNodeSteps::join() {
  // The identity is saved before it is sent: after a crash, another one would be refused for ever.
  if (auto saved = save_memory(options_.state_folder / kNodeMemoryFile, memory_); !saved)
    return saved;
  for (int tries = 0; tries < kJoinTries; ++tries) {
    const auto view = store_->view();
    if (!view) return view.error();
    const Member* member = view->find(seat_.name);
    const auto known = member == nullptr ? std::nullopt : std::optional{member->share};
    const Share share = known ? union_of(*known, options_.share) : options_.share;
    const auto outcome = store_->join(seat_, share, known, memory_.members);
    if (!outcome) return outcome.error();
    if (*outcome == Joined::kAgain) continue;
    if (*outcome != Joined::kYes) {
      status_.ended = *outcome == Joined::kTaken;
      return refusal(*outcome, seat_.name);
    }
    // This membership has reported nothing yet (earlier ones may have).
    status_ = {.joined = true};
    base_local_ = {};
    return ok();
  }
  return refusal(Joined::kAgain, seat_.name);
}

Status FleetNodeSteps::step() {
  if (!status_.joined) {
    if (auto joined = join(); !joined) {
      note(joined.error());
      return status_.ended ? joined : ok();
    }
  }
  const auto poll = store_->poll(seat_);
  if (!poll) {
    note(poll.error());
    return ok();
  }
  if (poll->standing == Poll::Standing::kMember) {
    status_.problem.clear();
    follow(*poll);
    return ok();
  }
  status_.joined = false;
  status_.problem = "Redis does not know this node any more; it joins again";
  if (poll->standing == Poll::Standing::kUnknown) return ok();
  status_.ended = true;
  status_.problem = message("node ", seat_.name, " was asked to leave the fleet");
  return Error{ErrorCode::kIo, status_.problem};
}

void FleetNodeSteps::follow(const Poll& poll) {
  if (changes_seen_ != poll.changes) learn_members(poll.changes);
  if (poll.gathering && poll.current != status_.answered) answer(poll.current);
}

// Only an answer that is known to have been taken is left out of the next one. One that may have
// arrived, or came too late, is said again with it: twice does no harm.
void FleetNodeSteps::answer(CycleId cycle) {
  const auto history = close_();
  if (!history) return note(history.error());
  NodeAnswer answer{.instance = seat_.instance, .since = status_.answered, .cycle = {}};
  answer.cycle = {cycle, history->current().started_unix, seen_since(*history, base_local_)};
  const auto taken = store_->answer(seat_, cycle, encode_answer(answer));
  if (!taken) return note(taken.error());
  if (!*taken) return;
  status_.answered = cycle;
  base_local_ = history->current().id;
}

void FleetNodeSteps::learn_members(std::uint64_t changes) {
  const auto view = store_->view();
  if (!view) return note(view.error());
  FleetMemory learned = memory_;
  learn(learned, *view);
  if (learned != memory_)
    if (auto saved = save_memory(options_.state_folder / kNodeMemoryFile, learned); !saved)
      return note(saved.error());
  memory_ = std::move(learned);
  changes_seen_ = changes;
}

void FleetNodeSteps::depart() {
  if (status_.joined) (void)store_->depart(seat_);
  status_.joined = false;
}

Result<std::unique_ptr<FleetNode>> FleetNode::start(FleetNodeOptions options,
                                                    std::unique_ptr<FleetStore> store,
                                                    CloseCycle close) {
  if (auto fit = check_name("a node", options.name); !fit) return fit.error();
  for (const std::string& root : options.share)
    if (!is_clean(root))
      return Error{ErrorCode::kInvalidArgument, message(root, ": a root of a node is clean")};
  // What cannot be read back would not be there at all.
  if (auto share = decode_share(encode_share(options.share)); !share) return share.error();
  return std::unique_ptr<FleetNode>{
      new FleetNode{std::move(options), std::move(store), std::move(close)}};
}

FleetNode::FleetNode(FleetNodeOptions options, std::unique_ptr<FleetStore> store, CloseCycle close)
    : options_{options},
      steps_{std::move(options), std::move(store), std::move(close)},
      thread_{[this] { run(); }} {}

FleetNode::~FleetNode() { stop(); }

void FleetNode::run() {
  for (;;) {
    const auto stepped = steps_.step();
    std::unique_lock lock{mutex_};
    status_ = steps_.status();
    wakes_.notify_all();
    const auto pause = status_.problem.empty() ? options_.poll_every : options_.retry_every;
    if (!stepped) {
      wakes_.wait(lock, [&] { return stops_; });
      return;
    }
    if (wakes_.wait_for(lock, pause, [&] { return stops_; })) break;
  }
  steps_.depart();
}

void FleetNode::stop() {
  {
    const std::lock_guard lock{mutex_};
    stops_ = true;
  }
  wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
}

FleetNodeStatus FleetNode::status() const {
  const std::lock_guard lock{mutex_};
  return status_;
}

bool FleetNode::wait_joined(std::chrono::milliseconds patience) const {
  std::unique_lock lock{mutex_};
  return wakes_.wait_for(lock, patience, [&] { return status_.joined || status_.ended; }) &&
         status_.joined;
}

}  // namespace bloomery::tracker
