// Which rows of an index a key touches: the positions that it has in every one of its filters.
#pragma once
#include "bloomery/formats/index/header.h"
#include "bloomery/layout/modulus.h"

namespace bloomery {

// Of block and lines, the rows of a key lie in one stretch of 512 rows, or in one for each line.
class KeyRows {
 public:
  KeyRows(const NativeHeader& shape, const KeyHash& hash)
      : kind_{shape.kind},
        probes_{shape.probes},
        blocks_{shape.bits / block::kBlockBits},
        modulus_{shape.bits},
        hash_{hash} {}

  std::uint32_t count() const { return probes_; }  // for every key
  const KeyHash& hash() const { return hash_; }
  // Precondition: rows has room for count(). A row may come twice.
  void find(ByteView key, std::uint64_t* rows) const;

 private:
  void find_in_blocks(const Hash128& digest, std::uint64_t* rows) const;

  NativeKind kind_;
  std::uint32_t probes_;
  std::uint64_t blocks_;
  Modulus modulus_;
  KeyHash hash_;
};

}  // namespace bloomery
