// A fleet's common memory in a test: what the scripts do in Redis, as plain code, in a memory that
// can be down, lose replies, be emptied, and come back older than it was. Its clock is the test's.
#pragma once
#include <functional>
#include <map>
#include <set>

#include "apps/tracker/fleet/store.h"

namespace bloomery::tracker {

struct FakeFleet {
  static constexpr std::int64_t kAlive = 10'000;
  static constexpr std::int64_t kLock = 15'000;

  struct Memory {
    FleetView view;  // all but what depends on the time
    std::map<std::string, std::int64_t> beats;
    std::map<std::string, std::uint64_t> left_as;  // which process it was that left
    std::string owner;
    std::uint64_t generation = 0;  // of the server that began the last cycle; 0: none
    std::map<std::string, std::vector<std::byte>> answers;
    std::map<std::uint64_t, std::vector<std::byte>> merged;
  };

  Memory memory;
  std::string lock_owner;
  std::int64_t lock_until = 0;
  std::int64_t now = 1'000'000;
  std::uint64_t server = 1;  // its generation
  bool down = false;
  std::function<bool()> fails = {};    // before a step: it is not done
  std::function<bool()> loses = {};    // after it: it is done, and the reply is lost
  std::function<void()> on_view = {};  // when a leader looks whether answers came
  bool in_view = false;

  void restart(Memory kept) {
    memory = std::move(kept);
    lock_owner.clear();
    ++server;
    down = false;
  }
};

class FakeStore final : public FleetStore {
 public:
  // `of_leader`: its looks are when others act.
  explicit FakeStore(FakeFleet& fleet, bool of_leader = false)
      : fleet_{fleet}, of_leader_{of_leader} {}

  Result<FleetView> view() override {
    if (of_leader_ && fleet_.on_view && !fleet_.in_view) {
      fleet_.in_view = true;
      fleet_.on_view();
      fleet_.in_view = false;
    }
    return step<FleetView>([&]() -> Result<FleetView> { return seen(); });
  }

  Result<Joined> join(const NodeSeat& seat, const Share& share, const std::optional<Share>& known,
                      const std::vector<RememberedMember>& remembered) override {
    return step<Joined>([&]() -> Result<Joined> {
      Member* member = find(seat.name);
      if ((member == nullptr) != !known || (member != nullptr && member->share != *known))
        return Joined::kAgain;
      if (member != nullptr &&
          (member->state == MemberState::kActive || member->state == MemberState::kAway)) {
        if (member->identity != seat.identity) return Joined::kTaken;
        if (member->state == MemberState::kActive && member->instance != seat.instance &&
            member->place != seat.place && silent(seat.name) < FakeFleet::kAlive)
          return Joined::kAlive;
      }
      if (member == nullptr) member = &all().emplace_back();
      *member = {.name = seat.name,
                 .instance = seat.instance,
                 .identity = seat.identity,
                 .place = seat.place,
                 .share = share};
      beat(seat.name);
      std::erase(fleet_.memory.view.left, seat.name);
      ++fleet_.memory.view.changes;
      remember(remembered);
      return Joined::kYes;
    });
  }

  Result<Poll> poll(const NodeSeat& seat) override {
    return step<Poll>([&]() -> Result<Poll> {
      const Member* member = find(seat.name);
      if (member == nullptr
              ? has_left(seat.name, seat.instance)
              : member->state == MemberState::kLeaving && member->instance == seat.instance)
        return Poll{.standing = Poll::Standing::kLeft};
      if (!is_seat(member, seat)) return Poll{};
      beat(seat.name);
      const FleetView& view = fleet_.memory.view;
      return Poll{Poll::Standing::kMember, view.current, view.gathering, view.changes};
    });
  }

  Result<bool> answer(const NodeSeat& seat, CycleId cycle, ByteView bytes) override {
    return step<bool>([&]() -> Result<bool> {
      Member* member = find(seat.name);
      const FleetView& view = fleet_.memory.view;
      if (!is_seat(member, seat) || view.current != cycle || !view.gathering) return false;
      fleet_.memory.answers[seat.name] = {bytes.begin(), bytes.end()};
      member->answered = cycle.index;
      beat(seat.name);
      return true;
    });
  }

  Status depart(const NodeSeat& seat) override {
    return step<std::monostate>([&]() -> Status {
      Member* member = find(seat.name);
      if (is_seat(member, seat)) member->state = MemberState::kAway;
      return ok();
    });
  }

  Status forget(const std::string& name) override {
    return step<std::monostate>([&]() -> Status {
      Member* member = find(name);
      if (member == nullptr) return Error{ErrorCode::kInvalidArgument, "unknown"};
      if (member->state == MemberState::kActive && silent(name) < FakeFleet::kAlive)
        return Error{ErrorCode::kInvalidArgument, "alive"};
      member->state = MemberState::kLeaving;
      ++fleet_.memory.view.changes;
      return ok();
    });
  }

  Result<std::optional<LeaderSeat>> lead(LeaderSeat seat) override {
    return step<std::optional<LeaderSeat>>([&]() -> Result<std::optional<LeaderSeat>> {
      if (holder() != "" && holder() != seat.owner) return std::optional<LeaderSeat>{};
      take_lock(seat.owner);
      seat.fence = ++fleet_.memory.view.fence;
      fleet_.memory.owner = seat.owner;
      fleet_.memory.view.leader = seat.name;
      return std::optional{seat};
    });
  }

  Status hold(const LeaderSeat& seat) override {
    return step<std::monostate>([&]() -> Status { return leads(seat) ? ok() : lost_lead(); });
  }

  Result<FleetView> begin(const LeaderSeat& seat, std::uint64_t token,
                          const FleetMemory& known) override {
    return step<FleetView>([&]() -> Result<FleetView> {
      if (!leads(seat)) return lost_lead();
      FleetView& view = fleet_.memory.view;
      view.same_server = fleet_.memory.generation == fleet_.server;
      view.current = {std::max(view.current.index, known.last_index) + 1, token};
      view.chain.insert(view.chain.begin(), view.current);
      if (view.chain.size() > kCyclesKept + 1) view.chain.resize(kCyclesKept + 1);
      view.gathering = true;
      fleet_.memory.generation = fleet_.server;
      remember(known.members);
      return seen();
    });
  }

  Result<FleetView> close_gathering(const LeaderSeat& seat, CycleId current) override {
    return step<FleetView>([&]() -> Result<FleetView> {
      if (!leads_cycle(seat, current)) return lost_lead();
      fleet_.memory.view.gathering = false;
      return seen();
    });
  }

  Result<std::vector<std::byte>> read_answer(const std::string& name) override {
    return step<std::vector<std::byte>>(
        [&]() -> Result<std::vector<std::byte>> { return fleet_.memory.answers[name]; });
  }

  Status commit(const LeaderSeat& seat, CycleId current, std::optional<CycleId> ended,
                ByteView merged, const std::vector<std::string>& leaving) override {
    return step<std::monostate>([&]() -> Status {
      if (!leads_cycle(seat, current)) return lost_lead();
      FleetView& view = fleet_.memory.view;
      if (ended) fleet_.memory.merged[ended->index] = {merged.begin(), merged.end()};
      view.committed = current.index;
      view.gathering = false;
      for (const std::string& name : leaving) {
        const Member* member = find(name);
        if (member == nullptr || member->state != MemberState::kLeaving) continue;
        fleet_.memory.left_as[name] = member->instance;
        std::erase_if(all(), [&](const Member& each) { return each.name == name; });
        fleet_.memory.answers.erase(name);
        view.left.push_back(name);
        ++view.changes;
      }
      return ok();
    });
  }

  Result<std::optional<std::vector<std::byte>>> read_merged(CycleId cycle) override {
    using Bytes = std::optional<std::vector<std::byte>>;
    return step<Bytes>([&]() -> Result<Bytes> {
      const auto found = fleet_.memory.merged.find(cycle.index);
      return found == fleet_.memory.merged.end() ? Bytes{} : Bytes{found->second};
    });
  }

  Status finish_scan(const LeaderSeat& seat, CycleId current) override {
    return step<std::monostate>([&]() -> Status {
      if (!leads_cycle(seat, current)) return lost_lead();
      fleet_.memory.view.scanned = current.index;
      return ok();
    });
  }

  Status release(const LeaderSeat& seat) override {
    return step<std::monostate>([&]() -> Status {
      if (holder() == seat.owner) fleet_.lock_owner.clear();
      return ok();
    });
  }

 private:
  template <class T, class Do>
  Result<T> step(Do what) {
    const Error gone{ErrorCode::kIo, "the server is gone"};
    if (fleet_.down || (fleet_.fails && fleet_.fails())) return gone;
    auto result = what();
    if (fleet_.loses && fleet_.loses()) return gone;
    return result;
  }

  std::vector<Member>& all() { return fleet_.memory.view.members; }
  Member* find(const std::string& name) {
    for (Member& member : all())
      if (member.name == name) return &member;
    return nullptr;
  }
  static bool is_seat(const Member* member, const NodeSeat& seat) {
    return member != nullptr && member->state == MemberState::kActive &&
           member->instance == seat.instance;
  }
  bool has_left(const std::string& name) const {
    const auto& left = fleet_.memory.view.left;
    return std::find(left.begin(), left.end(), name) != left.end();
  }
  bool has_left(const std::string& name, std::uint64_t instance) const {
    const auto left = fleet_.memory.left_as.find(name);
    return has_left(name) && left != fleet_.memory.left_as.end() && left->second == instance;
  }
  void beat(const std::string& name) { fleet_.memory.beats[name] = fleet_.now; }
  std::int64_t silent(const std::string& name) { return fleet_.now - fleet_.memory.beats[name]; }
  void remember(const std::vector<RememberedMember>& members) {
    for (const RememberedMember& known : members) {
      if (find(known.name) != nullptr || has_left(known.name)) continue;
      all().push_back(
          {.name = known.name, .state = MemberState::kRemembered, .share = known.share});
      ++fleet_.memory.view.changes;
    }
  }
  std::string holder() const { return fleet_.now < fleet_.lock_until ? fleet_.lock_owner : ""; }
  void take_lock(const std::string& owner) {
    fleet_.lock_owner = owner;
    fleet_.lock_until = fleet_.now + FakeFleet::kLock;
  }
  bool leads(const LeaderSeat& seat) {
    if (fleet_.memory.view.fence != seat.fence || fleet_.memory.owner != seat.owner) return false;
    if (holder() != "" && holder() != seat.owner) return false;
    take_lock(seat.owner);
    return true;
  }
  bool leads_cycle(const LeaderSeat& seat, CycleId current) {
    return leads(seat) && fleet_.memory.view.current == current &&
           fleet_.memory.generation == fleet_.server;
  }
  FleetView seen() {
    FleetView view = fleet_.memory.view;
    for (Member& member : view.members)
      member.silent = std::chrono::milliseconds{silent(member.name)};
    return view;
  }

  FakeFleet& fleet_;
  const bool of_leader_;
};

}  // namespace bloomery::tracker
