// Receipts in their three encodings: as the protocol hashes them (consensus), as geth's database
// holds them (storage, three generations) and without bloom (slim, of ere files and eth/69). And
// what is derived from them: blooms and roots. Every encoding is read and written here, also where
// a program needs one direction, because the fuzz targets compare the two.
#pragma once
#include "apps/ethlog/model/chain.h"

namespace bloomery::ethlog {

Bloom bloom_of(const Receipt& receipt);
Bloom bloom_of(std::span<const Receipt> receipts);  // addresses and topics of every log
std::vector<Bloom> blooms_of(std::span<const Receipt> receipts);  // of each

// [statusOrRoot, gas, bloom, logs, further items], behind the type byte unless that is 0. The bloom
// is the receipt's own, or computed.
std::vector<std::byte> encode_consensus(const Receipt& receipt);
Result<Receipt> decode_consensus(ByteView bytes);
// A list of them, in which a typed one is a byte string.
std::vector<std::byte> encode_consensus_list(std::span<const Receipt> receipts);
Result<std::vector<Receipt>> decode_consensus_list(ByteView rlp);

// [[statusOrRoot, gas, logs]...]; on reading also the six and seven items of databases before 2019,
// which know the transaction hash. The type is not in it: the body says it.
std::vector<std::byte> encode_storage(std::span<const Receipt> receipts);
Result<std::vector<Receipt>> decode_storage(ByteView rlp);

// [[type, statusOrRoot, gas, logs]...]
std::vector<std::byte> encode_slim(std::span<const Receipt> receipts);
Result<std::vector<Receipt>> decode_slim(ByteView rlp);

// The status of a failure has no bytes; ganache hashes one zero byte.
enum class FailedStatus : std::uint8_t { kNoBytes, kZeroByte };
// The root that the header commits the receipts with. `blooms`: what blooms_of returned, where it
// was called already; a receipt's own bloom comes first.
Hash receipts_root_of(std::span<const Receipt> receipts);
Hash receipts_root_of(std::span<const Receipt> receipts, std::span<const Bloom> blooms,
                      FailedStatus failed = FailedStatus::kNoBytes);

}  // namespace bloomery::ethlog
