// The filter block of a LevelDB table (C++ 1.23, goleveldb 2020-08): many small filters, each for
// the data blocks that start in one stretch of 2^base_lg bytes of the file.
#pragma once
#include <cassert>

#include "bloomery/formats/leveldb/filter.h"

namespace bloomery {

// Whose filters they are: LevelDB's own policy's, or ours (leveldb_policy.h).
enum class LevelDbPolicy : std::uint8_t { kBuiltIn, kBloomery };

// contents = the filters, then one u32 offset for each, then the offset of these, then base_lg.
class LevelDbFilterBlock {
 public:
  static constexpr std::size_t kTailBytes = 5;

  std::size_t filter_count() const { return filter_count_; }
  std::uint32_t base_lg() const { return static_cast<std::uint32_t>(contents_.back()); }
  ByteView contents() const { return contents_; }
  LevelDbPolicy policy() const { return policy_; }
  // The bytes of one filter: none for a stretch in which no data block starts. Empty optional where
  // the offsets contradict each other; such a filter answers "maybe". Precondition: i <
  // filter_count().
  std::optional<ByteView> filter_at(std::size_t i) const;

  // Bits and probes of one of the filters; none where it answers "maybe" to every key.
  Shape shape_of(ByteView filter) const;
  // False where a filter of our own policy does not pass its check; LevelDB's has none.
  bool holds(ByteView filter) const;

  // The answer for a key of the data block at this offset of the file; "maybe" beyond the last
  // filter. The digest is for LevelDB's own policy, the key for ours.
  bool may_contain(std::uint64_t data_block_offset, ByteView key,
                   const LevelDb::Digest& digest) const;
  // For LevelDB's own policy, which needs no more than the digest.
  bool may_contain(std::uint64_t data_block_offset, const LevelDb::Digest& digest) const {
    assert(policy_ == LevelDbPolicy::kBuiltIn);
    return may_contain(data_block_offset, {}, digest);
  }
  // Without a data block: true if any filter may contain the key.
  bool may_contain(ByteView key, const LevelDb::Digest& digest) const;
  bool may_contain(ByteView key) const { return may_contain(key, LevelDb{}.digest(key)); }
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

  // Only a block of one filter of LevelDB's policy takes keys: with more, a key belongs to the
  // filter of its data block.
  Result<std::size_t> insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);

  // All filters together. error_rate is the chance that an absent key passes the one filter it is
  // asked from, or for a block asked without its table, any of them.
  Health health_of_one() const;
  Health health() const;

  LevelDbFilterBlock clone() const { return *this; }
  friend bool operator==(const LevelDbFilterBlock& a, const LevelDbFilterBlock& b) {
    return a.contents_ == b.contents_;
  }

 private:
  friend Result<LevelDbFilterBlock> decode_leveldb_block_of(LevelDbPolicy, ByteView,
                                                            const DecodeOptions&);
  LevelDbFilterBlock(std::vector<std::byte> contents, LevelDbPolicy policy);
  bool ask(ByteView filter, ByteView key, const LevelDb::Digest& digest) const;
  std::size_t array_offset() const;
  std::uint32_t offset_at(std::size_t i) const;
  std::optional<ByteView> only_filter() const;  // set if there is one filter, with probes

  std::vector<std::byte> contents_;
  std::size_t filter_count_;
  LevelDbPolicy policy_;
};

// LevelDB's own order of calls: start_block with the offset of each data block (at first 0, at the
// end the offset after the last), add for each of its keys, then finish.
class LevelDbFilterBlockBuilder {
 public:
  // base_lg is taken to be at most 63. finish() and start_block() refuse bits per key that LevelDB
  // does not take.
  explicit LevelDbFilterBlockBuilder(double bits_per_key = kLevelDbBitsPerKey,
                                     std::uint32_t base_lg = 11,
                                     LevelDbRule rule = LevelDbRule::kCpp)
      : bits_per_key_{bits_per_key}, base_lg_{base_lg < 64 ? base_lg : 63}, rule_{rule} {}

  // Refuses an offset that needs more filters than the block's 32-bit offsets can number.
  Status start_block(std::uint64_t data_block_offset);
  void add(ByteView key) { pending_.add(key); }
  Result<std::vector<std::byte>> finish();

 private:
  Status end_filter();
  double bits_per_key_;
  std::uint32_t base_lg_;
  LevelDbRule rule_;
  LevelDbBuilder pending_;
  std::vector<std::byte> filters_;
  std::vector<std::uint32_t> offsets_;
};

Result<LevelDbFilterBlock> decode_leveldb_block(ByteView contents, const DecodeOptions& options);
Result<LevelDbFilterBlock> decode_leveldb_block_of(LevelDbPolicy policy, ByteView contents,
                                                   const DecodeOptions& options);
std::vector<std::byte> encode_leveldb_block(const LevelDbFilterBlock& block);
// One empty filter for all keys, at index 0; base_lg from the options.
Result<LevelDbFilterBlock> create_leveldb_block(const CreateOptions& options);
Description describe(const LevelDbFilterBlock& block);

// One layer for each filter that has keys, or a single one for all where there are more than 64.
std::vector<LayerDescription> describe_layers(const LevelDbFilterBlock& block);

}  // namespace bloomery
