#include "apps/tracker/fleet/leader.h"

#include <algorithm>

#include "apps/tracker/fleet/memory.h"
#include "bloomery/base/message.h"

namespace bloomery::tracker {
namespace {

using Clock = std::chrono::steady_clock;

// What both files of the folder remember: its watcher may have learned of more.
FleetMemory memory_in(const FleetLeaderOptions& options) {
  FleetMemory memory = load_memory(options.state_folder / kLeaderMemoryFile, options.fleet);
  const FleetMemory other = load_memory(options.state_folder / kNodeMemoryFile, options.fleet);
  memory.last_index = std::max(memory.last_index, other.last_index);
  for (const RememberedMember& member : other.members) {
    const auto known = std::ranges::find(memory.members, member.name, &RememberedMember::name);
    if (known == memory.members.end()) {
      memory.members.push_back(member);
    } else {
      known->share = union_of(known->share, member.share);
    }
  }
  return memory;
}

template <class Members>
std::optional<Share> share_of_all(const Members& members) {
  if (members.empty()) return std::nullopt;
  Share all = members.front().share;
  for (const auto& member : members) all = union_of(all, member.share);
  return all;
}

Error held_by(const FleetView& view) {
  return {ErrorCode::kIo, message("the fleet is led by ", view.leader, " (election ", view.fence,
                                  "), which did not finish in time; try again later")};
}

}  // namespace

std::optional<Share> remembered_share(const FleetLeaderOptions& options) {
  return share_of_all(memory_in(options).members);
}

Result<std::unique_ptr<FleetLeader>> FleetLeader::elect(const StoreOpener& open,
                                                        FleetLeaderOptions options) {
  auto store = open();
  if (!store) return store.error();
  auto holder = open();
  if (!holder) return holder.error();
  const LeaderSeat candidate{.name = options.name, .owner = message(new_fleet_token())};
  const auto deadline = Clock::now() + options.lock_patience;
  for (;;) {
    auto seat = (*store)->lead(candidate);
    if (!seat) return seat.error();
    if (*seat)
      return std::unique_ptr<FleetLeader>{new FleetLeader{std::move(*store), std::move(*holder),
                                                          std::move(**seat), std::move(options)}};
    if (Clock::now() >= deadline) break;
    std::this_thread::sleep_for(options.look_every);
  }
  const auto view = (*store)->view();
  if (!view) return view.error();
  return held_by(*view);
}

FleetLeader::FleetLeader(std::unique_ptr<FleetStore> store, std::unique_ptr<FleetStore> holder,
                         LeaderSeat seat, FleetLeaderOptions options)
    : store_{std::move(store)},
      holder_{std::move(holder)},
      seat_{std::move(seat)},
      options_{std::move(options)},
      memory_{memory_in(options_)},
      thread_{[this] { keep_holding(); }} {}

FleetLeader::~FleetLeader() {
  {
    const std::lock_guard lock{mutex_};
    stops_ = true;
  }
  wakes_.notify_all();
  thread_.join();
  (void)store_->release(seat_);  // otherwise it expires
}

// A failure is not acted upon here: each write of the leader is refused if it leads no more.
void FleetLeader::keep_holding() {
  std::unique_lock lock{mutex_};
  while (!wakes_.wait_for(lock, options_.hold_every, [&] { return stops_; })) {
    lock.unlock();
    (void)holder_->hold(seat_);
    lock.lock();
  }
}

bool FleetLeader::is_awaited(const Member& member, const FleetView& view) const {
  return member.state == MemberState::kActive && member.answered != view.current.index &&
         member.silent && *member.silent < options_.alive_time;
}

Status FleetLeader::await_answers(const FleetView& begun) {
  const auto deadline = Clock::now() + options_.patience;
  FleetView view = begun;
  while (std::any_of(view.members.begin(), view.members.end(),
                     [&](const Member& member) { return is_awaited(member, view); })) {
    if (Clock::now() >= deadline) return ok();
    std::this_thread::sleep_for(options_.look_every);
    auto now = store_->view();
    if (!now) return now.error();
    if (now->current != begun.current) return lost_lead();
    view = std::move(*now);
  }
  return ok();
}

// Members that Redis lost are there all the same, with every root they ever had.
FleetView FleetLeader::with_remembered(FleetView view) const {
  for (const RememberedMember& known : memory_.members) {
    if (std::ranges::find(view.left, known.name) != view.left.end()) continue;
    const auto member = std::ranges::find(view.members, known.name, &Member::name);
    if (member != view.members.end()) {
      member->share = union_of(member->share, known.share);
    } else {
      view.members.push_back(
          {.name = known.name, .state = MemberState::kRemembered, .share = known.share});
    }
  }
  return view;
}

Status FleetLeader::remember(const FleetView& view) {
  learn(memory_, view);
  return save_memory(options_.state_folder / kLeaderMemoryFile, memory_);
}

// From the answers to the current cycle to the filter of the one before it.
Result<std::vector<IncompleteShare>> FleetLeader::complete(CycleId current) {
  auto closed = store_->close_gathering(seat_, current);
  if (!closed) return closed.error();
  // On disk before the filter is: a Redis that loses its members never loses them alone.
  if (auto remembered = remember(*closed); !remembered) return remembered.error();
  const FleetView view = with_remembered(std::move(*closed));
  GatheredCycle gathered = gather(
      view,
      [&](const Member& member) -> Result<std::vector<std::byte>> {
        if (member.answered != current.index) return std::vector<std::byte>{};
        return store_->read_answer(member.name);
      },
      options_.goal, options_.limits);
  if (!view.same_server) {
    gathered.incomplete.insert(
        gathered.incomplete.begin(),
        {.node = "",
         .reason = view.chain.size() < 2
                       ? "the fleet is new, or Redis lost all of it"
                       : "Redis was restarted or replaced, and may have lost something"});
    gathered.filter.flag_everything(gathered.incomplete.front().reason);
  }
  std::vector<std::string> leaving;
  for (const Member& member : view.members)
    if (member.state == MemberState::kLeaving) leaving.push_back(member.name);
  std::optional<CycleId> ended;
  if (view.chain.size() > 1) ended = view.chain[1];
  std::vector<std::byte> bytes;
  if (ended) {
    Cycle cycle{*ended, 0, std::move(gathered.filter)};
    bytes = encode_cycle(cycle);
    if (bytes.size() > kMaxMergedBytes) {
      cycle.filter.flag_everything("the merged filters are larger than a fleet keeps");
      bytes = encode_cycle(cycle);
    }
  }
  if (auto kept = store_->commit(seat_, current, ended, bytes, leaving); !kept) return kept.error();
  return std::move(gathered.incomplete);
}

Result<FleetCycle> FleetLeader::known(FleetView view, std::vector<IncompleteShare> incomplete) {
  view = with_remembered(std::move(view));
  auto history = fleet_history(
      view, [&](CycleId cycle) { return store_->read_merged(cycle); }, options_.goal,
      options_.limits);
  if (!history) return history.error();
  return FleetCycle{std::move(*history), std::move(incomplete)};
}

Result<FleetCycle> FleetLeader::begin_cycle() {
  const auto before = store_->view();
  if (!before) return before.error();
  // A leader that died while it gathered left answers behind. No process scanned in its cycle, so
  // they may still be merged; that fails where Redis was restarted since, and then all is unknown.
  if (before->current.index != 0 && before->committed != before->current.index)
    (void)complete(before->current);

  auto begun = store_->begin(seat_, new_fleet_token(), memory_);
  if (!begun) return begun.error();
  begun_ = begun->current;
  if (auto remembered = remember(*begun); !remembered) return remembered.error();
  if (auto waited = await_answers(*begun); !waited) return waited.error();
  auto incomplete = complete(begun_);
  if (!incomplete) return incomplete.error();
  auto view = store_->view();
  if (!view) return view.error();
  if (view->current != begun_) return lost_lead();
  return known(std::move(*view), std::move(*incomplete));
}

Result<Share> FleetLeader::share() {
  auto view = store_->view();
  if (!view) return view.error();
  return share_of_all(with_remembered(std::move(*view)).members).value_or(Share{""});
}

Status FleetLeader::finish_scan() { return store_->finish_scan(seat_, begun_); }

}  // namespace bloomery::tracker
