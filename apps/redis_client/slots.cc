#include "apps/redis_client/slots.h"

#include <array>
#include <cassert>

namespace bloomery::redis_client {
namespace {

// CRC-16/XMODEM: polynomial 0x1021, start 0, not reflected.
constexpr std::array<std::uint16_t, 256> crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr auto kCrcTable = crc_table();

std::uint16_t crc16(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (const char byte : bytes)
    crc = (crc << 8 & 0xffff) ^ kCrcTable[(crc >> 8 ^ static_cast<unsigned char>(byte)) & 0xff];
  return static_cast<std::uint16_t>(crc);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open);
    if (close != std::string_view::npos && close > open + 1)
      key = key.substr(open + 1, close - open - 1);
  }
  return crc16(key) % kSlots;
}

std::vector<std::string> shard_tags(std::uint32_t shards) {
  assert(shards >= 1 && shards <= kSlots);
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> shard_at(kSlots, kNone);
  for (std::uint32_t i = 0; i < shards; ++i) shard_at[middle_slot(i, shards)] = i;
  std::vector<std::string> tags(shards);
  for (std::uint32_t number = 0, missing = shards; missing > 0; ++number) {
    std::string tag = std::to_string(number);
    std::uint32_t& shard = shard_at[slot_of(tag)];
    if (shard == kNone) continue;
    tags[shard] = std::move(tag);
    shard = kNone;
    --missing;
  }
  return tags;
}

}  // namespace bloomery::redis_client
