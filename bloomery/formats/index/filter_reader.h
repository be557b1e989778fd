// The filters that go into an index, read from their files stretch by stretch, all of one stretch
// before the next. Not for users.
#pragma once
#include <string>
#include <vector>

#include "bloomery/base/new_file.h"
#include "bloomery/filter/block/health.h"
#include "bloomery/formats/index/directory.h"
#include "bloomery/formats/native/body.h"

namespace bloomery {

struct FilterToIndex {
  std::string path;
  std::string name;
};

namespace internal {

class FilterReader {
 public:
  // The header of the file. Errors of this class name the file.
  static Result<FilterReader> open(const FilterToIndex& filter);

  const NativeHeader& shape() const { return shape_; }  // indexed_shape() of it

  // Bits [8 * first_byte, 8 * (first_byte + bits.size())): the next ones, from 0 on, and whole
  // words. The file is open only meanwhile, because there may be more filters than descriptors.
  Status read(std::uint64_t first_byte, ByteSpan bits);
  // Once all were read: what the index keeps of the filter. kMalformed where the checksum of the
  // body does not match.
  Result<IndexedFilter> finish() const;

 private:
  FilterReader(const FilterToIndex& filter, const NativeHeader& header, const NativeHeader& shape);
  Status read_body(const PositionedFile& file, std::uint64_t first_byte, ByteSpan bits);
  Error named(const Error& error) const;

  const FilterToIndex* filter_;
  NativeHeader header_;
  NativeHeader shape_;
  BodyChecksum checksum_;
  BlockTally tally_;
  std::uint64_t tallied_ = 0;
  std::uint64_t ones_ = 0;
};

}  // namespace internal
}  // namespace bloomery
