// The files in which a state folder remembers its fleet: one of the watcher's, one of the leader's,
// so that neither overwrites the other.
#pragma once
#include <filesystem>

#include "apps/tracker/fleet/fleet.h"

namespace bloomery::tracker {

inline constexpr std::string_view kNodeMemoryFile = "fleet.node";
inline constexpr std::string_view kLeaderMemoryFile = "fleet.leader";

// What the file says of this fleet; of another fleet, only the identity. A file that is missing or
// damaged is a new memory with a new identity.
FleetMemory load_memory(const std::filesystem::path& file, const std::string& fleet);
// The fleet that a file names; empty where it cannot be read.
std::string fleet_in(const std::filesystem::path& file);
Status save_memory(const std::filesystem::path& file, const FleetMemory& memory);

// Where a state folder is: the same text only while this machine runs, so that of two processes in
// the same place the lock of the folder lets one live.
std::string place_of(const std::filesystem::path& folder);

}  // namespace bloomery::tracker
