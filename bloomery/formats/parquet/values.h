// The values of one page of a Parquet column, decoded piece by piece from any of its encodings.
#pragma once
#include "bloomery/formats/parquet/delta.h"
#include "bloomery/formats/parquet/hybrid.h"
#include "bloomery/formats/parquet/schema.h"

namespace bloomery {

enum class ParquetEncoding : std::uint8_t {
  kPlain = 0,
  kPlainDictionary = 2,  // in a dictionary page: kPlain
  kRle = 3,
  kBitPacked = 4,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

// The values that a dictionary page lists: numbers or bytes, as the column has them.
struct ParquetDictionary {
  std::vector<std::int64_t> numbers;
  std::vector<ByteView> bytes;  // into the page
};

// Numbers are integers of 64 bits: booleans are 0 or 1, floats and doubles their bit patterns.
class ParquetValueDecoder {
 public:
  // Memory that a decoder of joined values uses for one piece; a single value may take more.
  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

  ParquetValueDecoder() = default;
  // `most` is the number of values and nulls in the page. Precondition: the bytes, the column and
  // the dictionary outlive it.
  static Result<ParquetValueDecoder> open(const ParquetColumn& column, std::int64_t encoding,
                                          ByteView bytes, std::uint64_t most,
                                          const ParquetDictionary* dictionary);

  // The next values, as many as are asked for. Precondition: the column has numbers.
  Status read(std::span<std::int64_t> into);
  // The next values, one at least and at most as many as are asked for; they are valid until the
  // next call. Precondition: the column has bytes.
  Result<std::size_t> read(std::span<ByteView> into);

 private:
  Status read_plain_numbers(std::span<std::int64_t> into);
  Status read_split_numbers(std::span<std::int64_t> into);
  Status read_indexes(std::size_t count, std::size_t entries);
  Status read_plain_bytes(std::span<ByteView> into);
  Result<std::size_t> read_split_bytes(std::span<ByteView> into);
  Status read_lengths(std::span<ByteView> into);
  Result<std::size_t> read_joined(std::span<ByteView> into);
  Result<ByteView> take(std::uint64_t size);

  const ParquetColumn* column_ = nullptr;
  const ParquetDictionary* dictionary_ = nullptr;
  ParquetEncoding encoding_ = ParquetEncoding::kPlain;
  ByteView bytes_ = {};
  std::size_t position_ = 0;  // in bytes_; of booleans, in bits; of split values, a place
  HybridDecoder hybrid_;
  DeltaDecoder prefixes_;
  DeltaDecoder lengths_;
  std::vector<std::uint32_t> indexes_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> prefix_numbers_;
  std::size_t pending_ = 0;  // lengths that were read, and whose values were not
  std::vector<std::byte> arena_;
  std::vector<std::byte> last_;  // value, of joined ones
};

// The values of a dictionary page.
Result<ParquetDictionary> read_parquet_dictionary(const ParquetColumn& column, ByteView bytes,
                                                  std::uint64_t count);

std::string encoding_name(std::int64_t encoding);

}  // namespace bloomery
