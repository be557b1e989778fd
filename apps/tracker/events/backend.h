// A source of change events: fanotify for whole filesystems, inotify for every folder. Both have a
// queue in the kernel that keeps the order of events.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/tracker/events/regions.h"
#include "apps/tracker/state/tracker_status.h"
#include "bloomery/base/bytes.h"
#include "bloomery/base/result.h"

namespace bloomery::tracker {

inline constexpr std::string_view kMarkerFolder = "watch.barrier";

// All but queue() and put_marker is called by one thread, which also handles the events.
class WatchBackend {
 public:
  WatchBackend() = default;
  WatchBackend(const WatchBackend&) = delete;
  WatchBackend& operator=(const WatchBackend&) = delete;
  virtual ~WatchBackend() = default;

  virtual std::string_view name() const = 0;
  virtual int queue() const = 0;  // to be polled and read; never blocks

  // From now on these and no others. Returns those that it cannot watch, each with the reason in
  // `unseen`. Changes before it returns may not have been seen.
  virtual std::vector<Region> watch(std::span<const Region> regions) = 0;
  // Bytes that were read from queue(): whole events, in order.
  virtual void handle(ByteView events) = 0;
  // Events were lost: everything was flagged already, and is again after this.
  virtual void recover() = 0;

  // A marker is an event of our own. When it comes out of the queue, everything that happened
  // before it was put in has come out too.
  virtual Status put_marker(std::uint64_t number) = 0;
  std::uint64_t marker_seen() const { return marker_seen_; }

  // Where a folder is when its event is handled may not be where it was when the event happened:
  // then something else happened to it meanwhile, and is reported later. How often that was the
  // case.
  std::uint64_t disturbances() const { return disturbances_; }
  // Tries again what could not be done because the tree had moved on. False if something is left.
  virtual bool settle() = 0;

  // Whose changes it does not see, as they are now.
  virtual std::vector<UnseenSubtree> unseen() const = 0;
  virtual std::uint64_t watches() const = 0;
  std::uint64_t overflows() const { return overflows_; }
  std::uint64_t events() const { return events_; }

 protected:
  std::uint64_t marker_seen_ = 0;
  std::uint64_t disturbances_ = 0;
  std::uint64_t overflows_ = 0;  // of the kernel's queue, since it was last asked to recover() too
  std::uint64_t events_ = 0;
};

}  // namespace bloomery::tracker
