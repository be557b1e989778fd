#include "apps/ethlog/index/adaptive/postings.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::size_t kSealBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kKeysPerBucket = 1024;
using Posting = std::uint32_t;  // the tag of a key, then the block's place in the section

int place_bits(std::uint32_t section_size) { return std::bit_width(section_size - 1); }

// The first posting that the key can have. The rows go by other bits of the digest first.
Posting first_posting(const KeyDigest& digest, int place_bits) {
  if (place_bits == 0) return static_cast<Posting>(digest.high >> 32);
  return static_cast<Posting>(digest.high >> 32) >> place_bits << place_bits;
}

}  // namespace

std::uint32_t posting_buckets(std::uint64_t keys) {
  return static_cast<std::uint32_t>(keys / kKeysPerBucket + 1);
}

std::uint32_t posting_bucket(const KeyDigest& digest, std::uint32_t buckets) {
  return static_cast<std::uint32_t>((digest.low >> 32) * buckets >> 32);
}

std::vector<std::string> encode_postings(std::span<const KeyDigest> digests,
                                         std::span<const std::uint32_t> keys,
                                         std::uint32_t section_size) {
  const std::uint32_t buckets = posting_buckets(digests.size());
  std::vector<std::size_t> ends(buckets + 1);  // of the buckets before, while they are filled
  for (const KeyDigest& digest : digests) ++ends[posting_bucket(digest, buckets) + 1];
  for (std::uint32_t i = 0; i < buckets; ++i) ends[i + 1] += ends[i];
  std::vector<Posting> postings(digests.size());
  const int bits = place_bits(section_size);
  const KeyDigest* next = digests.data();
  for (std::size_t block = 0; block < keys.size(); ++block)
    for (std::uint32_t i = 0; i < keys[block]; ++i, ++next)
      postings[ends[posting_bucket(*next, buckets)]++] =
          first_posting(*next, bits) | static_cast<Posting>(block);
  std::vector<std::string> records;
  records.reserve(buckets);
  std::size_t first = 0;
  for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
    const std::span<Posting> own{postings.data() + first, ends[bucket] - first};
    first = ends[bucket];
    std::ranges::sort(own);
    std::string& record = records.emplace_back(kSealBytes + own.size_bytes(), '\0');
    std::memcpy(record.data() + kSealBytes, own.data(), own.size_bytes());
    const std::uint64_t checksum =
        xxh3_64(bytes_of(std::string_view{record}).subspan(kSealBytes), bucket);
    std::memcpy(record.data(), &checksum, sizeof checksum);
  }
  return records;
}

Status find_postings(const SectionMetadata& meta, ByteView record, const KeyDigest& digest,
                     std::span<std::byte> blocks) {
  const std::uint32_t bucket = posting_bucket(digest, meta.posting_buckets);
  if (record.size() < kSealBytes || record.size() % sizeof(Posting) != 0 ||
      load_le<std::uint64_t>(record.data()) != xxh3_64(record.subspan(kSealBytes), bucket))
    return Error{ErrorCode::kMalformed,
                 message("the postings ", bucket, " of section ", meta.section,
                         " of the adaptive index are damaged; repair it with bloomery eth verify "
                         "--repair")};
  const std::byte* postings = record.data() + kSealBytes;
  const std::size_t count = (record.size() - kSealBytes) / sizeof(Posting);
  const auto at = [&](std::size_t i) { return load_le<Posting>(postings + i * sizeof(Posting)); };
  const int bits = place_bits(meta.section_size);
  const Posting first = first_posting(digest, bits);
  std::size_t low = 0;
  for (std::size_t high = count; low < high;) {
    const std::size_t middle = (low + high) / 2;
    if (at(middle) < first)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < count && at(low) >> bits == first >> bits; ++low) {
    const std::size_t place = at(low) - first;
    if (place < meta.section_size) blocks[place / 8] |= std::byte{1} << place % 8;
  }
  return ok();
}

}  // namespace bloomery::ethlog
