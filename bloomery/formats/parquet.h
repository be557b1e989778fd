// Apache Parquet's Bloom filter (parquet-format 2.10): a Thrift header, then a split-block bitset
// over XXH64 of a column's plain-encoded values. Filters inside a .parquet file are in
// parquet_file.h.
#pragma once
#include <vector>

#include "bloomery/filter/block/split_block.h"
#include "bloomery/formats/description.h"
#include "bloomery/formats/options.h"

namespace bloomery {

// A key is a value as Parquet's plain encoding writes it, strings without their length: four or
// eight little-endian bytes for numbers. Many readers or one writer.
class ParquetFilter {
 public:
  static constexpr std::string_view kDialect = "parquet-xxh64";
  static constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

  explicit ParquetFilter(SplitBlockFilter filter) : filter_{std::move(filter)} {}

  bool insert(ByteView key);
  bool may_contain(ByteView key) const;
  std::size_t insert_batch(std::span<const ByteView> keys);
  std::size_t insert_batch(std::span<const ByteView> keys, std::span<std::uint8_t> is_new);
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;

  Status merge(const ParquetFilter& other) { return filter_.merge(other.filter_); }
  Status intersect(const ParquetFilter& other) { return filter_.intersect(other.filter_); }
  Result<bool> is_subset_of(const ParquetFilter& other) const {
    return filter_.is_subset_of(other.filter_);
  }
  Result<ParquetFilter> fold(std::uint64_t factor) const;
  void reset() { filter_.reset(); }
  ParquetFilter clone() const { return ParquetFilter{filter_.clone()}; }
  friend bool operator==(const ParquetFilter& a, const ParquetFilter& b) {
    return a.filter_ == b.filter_;
  }

  std::uint64_t blocks() const { return filter_.blocks(); }
  std::uint64_t size_bits() const { return filter_.size_bits(); }
  std::size_t size_bytes() const { return filter_.size_bytes(); }
  ByteView bytes() const { return filter_.bytes(); }
  const Provenance& provenance() const { return filter_.provenance(); }
  void set_provenance(Provenance provenance) { filter_.set_provenance(provenance); }
  Health health() const { return filter_.health(); }

 private:
  SplitBlockFilter filter_;
};

// The blocks for a goal, as Arrow C++ sizes: a power of two, at least one. Where Arrow would
// quietly stop at 128 MiB and miss the goal, this refuses.
Result<std::uint64_t> parquet_blocks_for(Goal goal);

struct ParquetHeader {
  std::uint64_t filter_bytes;  // a multiple of 32 from 32 to 128 MiB
  std::size_t header_bytes;
};
// kUnsupported where the header names another algorithm, hash or compression than the format has
// today.
Result<ParquetHeader> read_parquet_header(ByteView bytes);
// A filter at the start of bytes that may go on after it, as in a .parquet file.
Result<ParquetFilter> decode_parquet_prefix(ByteView bytes, DecodeLimits limits);

bool looks_like_parquet(ByteView bytes);
Result<ParquetFilter> decode_parquet(ByteView bytes, const DecodeOptions& options);
std::vector<std::byte> encode_parquet(const ParquetFilter& filter);
// Sized by keys and rate, or by an exact number of blocks.
Result<ParquetFilter> create_parquet(const CreateOptions& options);
Description describe(const ParquetFilter& filter);

}  // namespace bloomery
