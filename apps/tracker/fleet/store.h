// The operations of a fleet on its shared store, each in one indivisible step. fleet/redis.h runs
// them in Redis; tests have one that loses writes on demand.
#pragma once
#include <functional>
#include <memory>

#include "apps/tracker/fleet/fleet.h"

namespace bloomery::tracker {

// A node's process, as it shows itself.
struct NodeSeat {
  std::string name;
  std::uint64_t instance = 0;
  std::uint64_t identity = 0;
  std::string place = {};
};

// A leader's: every write that it makes names its fence, and is refused once another was elected.
struct LeaderSeat {
  std::string name;
  std::string owner;  // random: an election of a fleet that was lost and made anew has another
  std::uint64_t fence = 0;
};

enum class Joined : std::uint8_t {
  kYes,
  kAgain,   // its roots were changed meanwhile: look again
  kTaken,   // the name belongs to another state folder
  kAlive,   // another process with the same state folder lives elsewhere
  kTooMany  // kMostNodes
};

struct Poll {
  enum class Standing : std::uint8_t { kMember, kUnknown, kLeft };
  Standing standing = Standing::kUnknown;
  CycleId current = {};
  bool gathering = false;
  std::uint64_t changes = 0;
};

// Not safe to be used from several threads. An error (kIo) leaves open whether the step was done.
class FleetStore {
 public:
  FleetStore() = default;
  FleetStore(const FleetStore&) = delete;
  FleetStore& operator=(const FleetStore&) = delete;
  virtual ~FleetStore() = default;

  virtual Result<FleetView> view() = 0;

  // `known`: the share that the caller saw under this name, and merged with its own.
  virtual Result<Joined> join(const NodeSeat& seat, const Share& share,
                              const std::optional<Share>& known,
                              const std::vector<RememberedMember>& remembered) = 0;
  // A heartbeat, and what the node is to do.
  virtual Result<Poll> poll(const NodeSeat& seat) = 0;
  // False: the cycle no longer takes answers, or the seat is another's.
  virtual Result<bool> answer(const NodeSeat& seat, CycleId cycle, ByteView bytes) = 0;
  virtual Status depart(const NodeSeat& seat) = 0;
  // kInvalidArgument for a name that is unknown, or whose node lives.
  virtual Status forget(const std::string& name) = 0;

  // The seat with its fence; none while another holds the lock.
  virtual Result<std::optional<LeaderSeat>> lead(LeaderSeat seat) = 0;
  // The rest are a leader's: kIo (lost_lead()) where it no longer leads. Each holds the lock anew.
  virtual Status hold(const LeaderSeat& seat) = 0;
  // The number is one above the highest known one.
  virtual Result<FleetView> begin(const LeaderSeat& seat, std::uint64_t token,
                                  const FleetMemory& memory) = 0;
  // From now on the current cycle takes no answers: who was late still has its changes, and says
  // them in the next one.
  virtual Result<FleetView> close_gathering(const LeaderSeat& seat, CycleId current) = 0;
  virtual Result<std::vector<std::byte>> read_answer(const std::string& name) = 0;
  // Keeps the merged filter of the cycle that ended (none before the first), and lets nodes go that
  // were asked to leave.
  virtual Status commit(const LeaderSeat& seat, CycleId current, std::optional<CycleId> ended,
                        ByteView merged, const std::vector<std::string>& leaving) = 0;
  virtual Result<std::optional<std::vector<std::byte>>> read_merged(CycleId cycle) = 0;
  virtual Status finish_scan(const LeaderSeat& seat, CycleId current) = 0;
  virtual Status release(const LeaderSeat& seat) = 0;
};

using StoreOpener = std::function<Result<std::unique_ptr<FleetStore>>()>;

Error lost_lead();

}  // namespace bloomery::tracker
