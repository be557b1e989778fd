// One section of the adaptive index: a matrix with a column for each block, which is a Bloom filter
// of the block's addresses, topics and pairs of both, and as many rows as the set rate takes.
#pragma once
#include <span>

#include "apps/ethlog/index/adaptive/columns.h"
#include "apps/ethlog/index/adaptive/keys.h"
#include "bloomery/base/buffer.h"

namespace bloomery::ethlog {

inline constexpr double kDefaultAdaptiveRate = 0.005;

// After the rows of keys: row t of these has the blocks with a log of at least t topics, exactly.
inline constexpr std::uint32_t kTopicCountRows = 1 + TopicList::kMost;

// What is known of a section besides its bits: the record that says it is there.
struct SectionMetadata {
  std::uint64_t section = 0;
  Hash head;  // of its last block
  std::uint32_t section_size = 0;
  std::uint32_t rows = 0;  // of keys
  std::uint32_t probes = 0;
  std::uint32_t rows_per_chunk = 0;
  double goal = 0;         // the rate that was set
  double rate = 0;         // the chance of a false candidate, as the bits are: mean over blocks
  std::uint64_t keys = 0;  // distinct ones of each block, added up
  std::uint32_t most_keys = 0;        // of one block
  std::uint64_t row_bytes = 0;        // as stored, likewise the columns
  std::uint64_t column_bytes = 0;     // postings are among them
  std::uint32_t posting_buckets = 0;  // none in sections that older versions made

  std::uint32_t all_rows() const { return rows + kTopicCountRows; }
  std::uint32_t chunks() const { return (all_rows() + rows_per_chunk - 1) / rows_per_chunk; }
  friend bool operator==(const SectionMetadata&, const SectionMetadata&) = default;
};
std::string encode_metadata(const SectionMetadata& meta);
// A record that contradicts itself is an error, even with a correct checksum.
Result<SectionMetadata> decode_metadata(ByteView record);

// Rows are stored in chunks of so many that a chunk is worth a record.
std::uint32_t rows_per_chunk(std::uint64_t section_size);
std::string encode_chunk(ByteView rows, std::uint32_t chunk);
// The rows of a chunk, whose checksum holds. The view is into the record.
Result<ByteView> decode_chunk(const SectionMetadata& meta, ByteView record, std::uint32_t chunk);

struct AdaptiveSection {
  SectionMetadata meta;
  Buffer bits;                        // row after row
  std::vector<std::string> postings;  // records, by bucket
  ByteView chunk(std::uint32_t number) const;
};

class AdaptiveSectionBuilder {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of rows
  static constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 26;   // a digest takes 16 bytes

  // Precondition: section_size is a multiple of 8, and not 0. `head` is its last block.
  AdaptiveSectionBuilder(std::uint64_t section, std::uint64_t section_size, const Hash& head);

  // Blocks come in order. kTooLarge where the keys of the section no longer fit into memory.
  Status add_block(const LogColumns& columns);
  // For keys that come from elsewhere: each once, hashed with salt().
  Status add_block(std::span<const KeyDigest> keys, std::optional<std::size_t> most_topics);
  SectionSalt salt() const { return salt_of(meta_.head); }

  // The real rate is at most the goal, unless kMostBytes of rows are not enough for it; `rate`
  // tells. Precondition: all blocks were added; 0 < goal < 1.
  AdaptiveSection build(double goal) const;

 private:
  AdaptiveSection build(double goal, std::uint32_t rows, std::uint32_t probes) const;
  std::uint32_t most_rows() const;

  SectionMetadata meta_;  // as far as they are known before
  std::vector<KeyDigest> digests_;
  std::vector<std::uint32_t> keys_;         // of each block
  std::vector<std::uint8_t> topic_counts_;  // how many of kTopicCountRows each block is in
};

}  // namespace bloomery::ethlog
