// The keys of geth's key/value database: encoded and recognised
// (core/rawdb/schema.go of v1.9.7 to v1.17.5). Numbers in keys are 8 bytes, big-endian.
#pragma once
#include <string>

#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

std::string header_key(std::uint64_t number, const Hash& hash);
std::string canonical_hash_key(std::uint64_t number);
std::string block_number_key(const Hash& hash);
std::string body_key(std::uint64_t number, const Hash& hash);
std::string receipts_key(std::uint64_t number, const Hash& hash);
// `head` is the hash of the section's last block.
std::string bloom_bits_key(std::uint16_t bit, std::uint64_t section, const Hash& head);
std::string section_head_key(std::uint64_t section);

inline constexpr std::string_view kSectionCountKey = "iBcount";
inline constexpr std::string_view kHeadHeaderKey = "LastHeader";
inline constexpr std::string_view kHeadBlockKey = "LastBlock";
inline constexpr std::string_view kHeadFastBlockKey = "LastFast";
inline constexpr std::string_view kFinalizedBlockKey = "LastFinalized";
inline constexpr std::string_view kSafeBlockKey = "bloomery/safe";  // ours; geth keeps none
inline constexpr std::string_view kDatabaseVersionKey = "DatabaseVersion";

enum class KeyKind : std::uint8_t {
  kHeader,
  kCanonicalHash,
  kTotalDifficulty,
  kBlockNumber,
  kBody,
  kReceipts,
  kTransactionLookup,
  kBloomBits,
  kSectionHead,
  kSectionCount,
  kHeadPointer,
  kDatabaseVersion,
  kOther,  // state, code, settings, filter maps: not ours
};

// What a key says. A member is meaningful only for the kinds that have it.
struct SchemaKey {
  KeyKind kind = KeyKind::kOther;
  std::uint64_t number = 0;  // of the block, or of the section
  std::uint16_t bit = 0;
  Hash hash;
  friend bool operator==(const SchemaKey&, const SchemaKey&) = default;
};
SchemaKey parse_key(std::string_view key);

// Values that are a number.
std::string encode_number(std::uint64_t number);                     // 8 bytes
std::optional<std::uint64_t> decode_number(std::string_view value);  // nothing unless 8 bytes
std::optional<Hash> decode_hash(std::string_view value);             // nothing unless 32 bytes

}  // namespace bloomery::ethlog
