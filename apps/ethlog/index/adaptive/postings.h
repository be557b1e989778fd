// Which blocks of a section have a key, for all keys of the section: what the rows say with a rate
// of false candidates, these say all but exactly. One record answers for all candidates of a key.
#pragma once
#include "apps/ethlog/index/adaptive/section.h"

namespace bloomery::ethlog {

// Keys are spread over so many records that one has some 4 KiB. Never 0.
std::uint32_t posting_buckets(std::uint64_t keys);
std::uint32_t posting_bucket(const KeyDigest& digest, std::uint32_t buckets);

// The records of a section, by bucket. Of every block in turn come `keys[block]` digests.
std::vector<std::string> encode_postings(std::span<const KeyDigest> digests,
                                         std::span<const std::uint32_t> keys,
                                         std::uint32_t section_size);

// Sets the bits (place p at bit p % 8 of byte p / 8) of the blocks of the section that have the
// key, and once in a million of one that has another. The record is that of the key's bucket;
// damage is an error. Precondition: a bit for each block of the section.
Status find_postings(const SectionMetadata& meta, ByteView record, const KeyDigest& digest,
                     std::span<std::byte> blocks);

}  // namespace bloomery::ethlog
