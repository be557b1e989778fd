// The sorted blocks of a LevelDB table (index, metaindex and data): how one lies in the file, and
// its entries, whose keys share prefixes with the key before.
#pragma once
#include <vector>

#include "bloomery/base/byte_reader.h"
#include "bloomery/base/limits.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct LevelDbHandle {  // of a block: without the five bytes of type and checksum that follow it
  std::uint64_t offset;
  std::uint64_t size;
  friend bool operator==(const LevelDbHandle&, const LevelDbHandle&) = default;
};
Result<LevelDbHandle> read_handle(ByteReader& reader);

// The checksum as tables and logs store it.
std::uint32_t leveldb_checksum(ByteView bytes);

// A copy: the file may be mapped, and another process may change it between the checksum and the
// use of what it vouches for.
struct LevelDbStoredBlock {
  std::vector<std::byte> stored;
  std::uint8_t type;  // 0 as it is, 1 Snappy
  bool checksum_ok;
};
// kMalformed where the handle points outside the file, kTooLarge for a block beyond the limit.
Result<LevelDbStoredBlock> find_block(ByteView file, LevelDbHandle handle, DecodeLimits limits);
Result<std::vector<std::byte>> unpacked(LevelDbStoredBlock block, DecodeLimits limits);

// Walks the entries of one block in order. The block must outlive it.
class LevelDbEntries {
 public:
  static Result<LevelDbEntries> open(ByteView block);
  Result<bool> next();  // false after the last entry
  ByteView key() const { return key_; }
  ByteView value() const { return value_; }

 private:
  explicit LevelDbEntries(ByteView entries) : reader_{entries} {}
  ByteReader reader_;
  std::vector<std::byte> key_;
  ByteView value_;
};

}  // namespace bloomery
