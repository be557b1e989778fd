#include "apps/tracker/fleet/memory.h"

#include <fstream>

#include "apps/tracker/fleet/codec.h"
#include "apps/tracker/state/private_files.h"
#include "bloomery/base/file.h"

namespace bloomery::tracker {
namespace {

constexpr DecodeLimits kMemoryLimits{.max_bytes = std::uint64_t{256} << 20};

}  // namespace

FleetMemory load_memory(const std::filesystem::path& file, const std::string& fleet) {
  FleetMemory memory{.fleet = fleet, .identity = new_fleet_token()};
  const auto bytes = read_file(file, kMemoryLimits);
  if (!bytes) return memory;
  auto known = decode_memory(*bytes);
  if (!known) return memory;
  if (known->fleet == fleet) return std::move(*known);
  memory.identity = known->identity;
  return memory;
}

std::string fleet_in(const std::filesystem::path& file) {
  const auto bytes = read_file(file, kMemoryLimits);
  if (!bytes) return {};
  const auto known = decode_memory(*bytes);
  return known ? known->fleet : std::string{};
}

Status save_memory(const std::filesystem::path& file, const FleetMemory& memory) {
  return save_private(file, encode_memory(memory));
}

std::string place_of(const std::filesystem::path& folder) {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string boot;
  if (!std::getline(file, boot)) boot = std::to_string(new_fleet_token());
  std::error_code ignored;
  const auto real = std::filesystem::weakly_canonical(folder, ignored);
  return boot + ":" + (ignored ? folder : real).string();
}

}  // namespace bloomery::tracker
