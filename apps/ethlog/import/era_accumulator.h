// The SSZ root by which an era1 file commits its blocks: a list of (block hash, total difficulty)
// with room for 8192, hashed with SHA-256.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

struct HeaderRecord {
  Hash block_hash;
  Hash total_difficulty;  // 256-bit number, little-endian
};
constexpr std::size_t kBlocksPerEra = 8192;

// Precondition: at most kBlocksPerEra records.
Hash era_accumulator(std::span<const HeaderRecord> records);

}  // namespace bloomery::ethlog
