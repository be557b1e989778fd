// The first 512 bytes of an index of filters: what its filters are, and where its directory lies.
// They are one sector and are always written in one call, so that a change of the index takes
// effect at once or not at all.
#pragma once
#include "bloomery/formats/native/header.h"

namespace bloomery {

inline constexpr std::array<char, 8> kIndexMagic = {'B', 'L', 'O', 'O', 'M', 'I', 'D', 'X'};
inline constexpr std::uint16_t kIndexVersion = 1;
inline constexpr std::size_t kIndexHeaderBytes = 512;

struct IndexHeader {
  std::uint64_t file_bytes = 0;  // of the file; what lies behind is left of a change that failed
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t directory_checksum = 0;  // XXH3-64
  std::uint64_t filters = 0;             // without those that were deleted
  std::uint64_t changes = 0;             // how often the index was changed in place
  // The header that every filter's own file has, without what differs: goal, keys and checksum are
  // 0. Counting filters stand as classic ones: their keys have the same positions.
  NativeHeader shape = {};

  std::uint64_t rows() const { return shape.bits; }
};

using IndexHeaderBytes = std::array<std::byte, kIndexHeaderBytes>;

// Every field but the directory's place, which only the file itself can contradict.
Result<IndexHeader> decode_index_header(ByteView first_bytes);
IndexHeaderBytes encode_index_header(const IndexHeader& header);

// The common shape of a filter: kUnsupported for one whose bits are not at the same places in every
// filter of its shape (seeded, scalable) and for one that was left open for writing.
Result<NativeHeader> indexed_shape(const NativeHeader& header);
// kUnsupported with what differs, where the two are not equal.
Status same_indexed_shape(const NativeHeader& index, const NativeHeader& filter);

}  // namespace bloomery
