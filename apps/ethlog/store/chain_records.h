// Our own records of a store as a whole, beside those of geth's schema.
#pragma once
#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

inline constexpr std::string_view kCountsKey = "bloomery/counts";
inline constexpr std::string_view kSyncedKey = "bloomery/synced";
inline constexpr std::string_view kTransactionIndexKey = "bloomery/transactions";

std::string encode_counts(const StoreCounts& counts);
// Without the gaps, which follow from the head.
Result<StoreCounts> decode_counts(std::string_view record);

// Says how to repair a chain of ours, after an error that it is damaged.
Error with_repair_advice(const std::filesystem::path& folder, const Error& error);

// The number that is stored under the key; an error unless it has 8 bytes.
Result<std::uint64_t> number_at(const KeyValueStore& store, std::string_view key,
                                std::uint64_t otherwise);

}  // namespace bloomery::ethlog
