// The pages of one column chunk of a Parquet file: headers, checksums, and their bytes
// decompressed.
#pragma once
#include <functional>
#include <memory>

#include "bloomery/formats/parquet/table.h"

namespace bloomery {

// Fills `plain` with exactly its size from the stored bytes, or says why not. Libraries of
// compression are the caller's.
using ParquetDecompress =
    std::function<Status(ParquetCodec codec, ByteView stored, ByteSpan plain)>;

// Memory that is not zeroed before it is written to.
class PageBuffer {
 public:
  ByteSpan resize(std::size_t size);  // what was in it is lost

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

enum class ParquetPageKind : std::uint8_t { kData, kDictionary };

struct ParquetPage {
  ParquetPageKind kind = ParquetPageKind::kData;
  std::uint64_t entries = 0;  // values and nulls; of a dictionary, its values
  std::int64_t encoding = 0;
  bool levels_are_bit_packed = false;  // in the deprecated order, which is not supported
  ByteView repetition = {};
  ByteView definition = {};
  ByteView values = {};
};

class ParquetPageReader {
 public:
  // Precondition: the bytes outlive it. They may be mapped: each page is copied before it is
  // decoded.
  ParquetPageReader(ByteView chunk, ParquetCodec codec, const ParquetColumn& column,
                    const ParquetDecompress& decompress, DecodeLimits limits)
      : left_{chunk}, codec_{codec}, column_{&column}, decompress_{&decompress}, limits_{limits} {}

  // The next page; false at the end. A page is valid until the next call, a dictionary as long as
  // the reader.
  Result<bool> next(ParquetPage& page);
  std::size_t left() const { return left_.size(); }

 private:
  struct Header;
  Result<Header> read_header();
  Result<ByteView> decompressed(ByteView stored, std::uint64_t plain_bytes, PageBuffer& into) const;
  Status split_v1(ByteView plain, const Header& header, ParquetPage& page) const;

  ByteView left_;
  ParquetCodec codec_;
  const ParquetColumn* column_;
  const ParquetDecompress* decompress_;
  DecodeLimits limits_;
  PageBuffer stored_;
  PageBuffer plain_;
  PageBuffer dictionary_stored_;
  PageBuffer dictionary_plain_;
};

}  // namespace bloomery
