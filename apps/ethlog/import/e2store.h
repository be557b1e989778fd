// The container of era1 and ere files: entries of type, length and bytes, one after the other.
#pragma once
#include "apps/ethlog/store/read_at.h"

namespace bloomery::ethlog {

enum class EntryType : std::uint16_t {  // two bytes in the file, read little-endian
  kBeaconBlock = 0x0001,                // these two, and the index of slots, are of era files
  kBeaconState = 0x0002,
  kHeader = 0x0003,
  kBody = 0x0004,
  kReceipts = 0x0005,
  kTotalDifficulty = 0x0006,
  kAccumulator = 0x0007,
  kSlimReceipts = 0x000a,
  kProof = 0x000b,
  kVersion = 0x3265,            // "e2"
  kBlockIndex = 0x3266,         // "f2"
  kDynamicBlockIndex = 0x3267,  // "g2"
  kSlotIndex = 0x3269,          // "i2"
};

struct E2Entry {
  EntryType type{};
  std::size_t size = 0;        // of its value
  std::uint64_t position = 0;  // of its first byte in the file
  std::uint64_t end() const { return position + kHeadBytes + size; }
  static constexpr std::size_t kHeadBytes = 8;
};

// The entry that begins at `position`. Values beyond 50 MiB are refused, as geth does.
Result<E2Entry> read_entry(const ReadAt& file, std::uint64_t position);
// The same, of a type that must be there; `what` names it in the error.
Result<E2Entry> read_entry(const ReadAt& file, std::uint64_t position, EntryType type,
                           std::string_view what);
// A copy, as the file has it now.
Result<std::vector<std::byte>> value_of(const ReadAt& file, const E2Entry& entry);

}  // namespace bloomery::ethlog
