// The file that marks a chain folder as ours, and what the folder held when an
// import was last reported as safe. It lies beside the database, so that blocks which vanish from
// the database's log are noticed.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

// LevelDB leaves files alone whose names it does not know.
inline constexpr const char* kMarkerFile = "BLOOMERY-CHAIN";

struct ChainMarker {
  // Counts the syncs of the store, which keeps the same number; 0: written by an older version,
  // which kept none of this.
  std::uint64_t synced = 0;
  std::uint64_t blocks = 0;
  std::optional<std::uint64_t> lowest;
  std::optional<std::uint64_t> head;
  std::vector<BlockRange> lost;  // that were reported once, and are to be imported again
  friend bool operator==(const ChainMarker&, const ChainMarker&) = default;
};

std::string encode_marker(const ChainMarker& marker);
// kMalformed where it is not what encode_marker wrote.
Result<ChainMarker> decode_marker(std::string_view text);

// Nothing where the folder has no marker. An error names the file.
Result<std::optional<ChainMarker>> read_marker(const std::filesystem::path& folder);
// When it returns, the marker and the names of the other files in the folder survive a loss of
// power.
Status write_marker(const std::filesystem::path& folder, const ChainMarker& marker);

}  // namespace bloomery::ethlog
