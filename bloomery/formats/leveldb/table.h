// A whole LevelDB table (.ldb or .sst; C++ 1.23, goleveldb 2020-08), read for its filters. The
// index says which data block could hold a key, and that block's filter answers. Where anything
// does not verify, the answer is "maybe".
#pragma once
#include <string>

#include "bloomery/formats/leveldb/block.h"
#include "bloomery/formats/leveldb/entries.h"

namespace bloomery {

enum class LevelDbChecksum : std::uint8_t { kOk, kMismatch, kAbsent };  // absent: no such block

// How a writer under the older policy name hashed keys. Filters of goleveldb and of C++ before 1.18
// carry the same name and differ for keys with a byte above 0x7f among the last size % 4: unless
// the writer is known, such a key is never answered "no".
enum class LevelDbWriter : std::uint8_t { kUnknown, kUnsignedTail, kSignedTail };

struct LevelDbDataBlock {
  std::vector<std::byte> separator;  // at or after every key of the block, before those of the next
  LevelDbHandle handle;
};

// Many readers or one writer. The file need not outlive it.
struct LevelDbTable {
  std::string policy_name;  // as the file says it; empty: no filter
  std::vector<std::string>
      other_policies;  // whose filters the file has too, and which are not read
  LevelDbChecksum metaindex_checksum = LevelDbChecksum::kAbsent;
  LevelDbChecksum index_checksum = LevelDbChecksum::kAbsent;
  LevelDbChecksum filter_checksum = LevelDbChecksum::kAbsent;
  std::optional<LevelDbFilterBlock> filters;  // empty: every key is answered "maybe"
  std::string why_no_filters;                 // one sentence, where there are none
  std::vector<LevelDbDataBlock> data_blocks;
  std::uint64_t file_bytes = 0;
  LevelDbHandle metaindex_handle{};
  LevelDbHandle index_handle{};
  std::optional<LevelDbHandle> filter_handle;
  LevelDbWriter writer = LevelDbWriter::kUnknown;  // the caller may know
  // How the index may be searched: by keys as they are, by user keys (keys of a database end in
  // eight bytes of sequence and type), both where the index fits both, or not at all: it was
  // damaged, or the database has its own order of keys. Then every filter is asked. An index of
  // another order that looks ascending cannot be recognised: set both to false for a database with
  // its own comparator.
  bool ordered_by_stored_keys = false;
  bool ordered_by_user_keys = false;

  // Precondition of both: the key is a user key, as a program would pass it to Get.
  bool may_contain(ByteView key) const;
  void may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  // The answer of the filter of the data block at this offset, without the index.
  bool may_contain_in_block(std::uint64_t data_block_offset, ByteView key) const;

  bool checksums_ok() const;
  Health health() const;
  LevelDbTable clone() const { return *this; }
};

// True if the footer is a LevelDB table's. Wants the end of the file.
bool looks_like_leveldb_table(ByteView bytes);
Result<LevelDbTable> decode_leveldb_table(ByteView file, const DecodeOptions& options);
Description describe(const LevelDbTable& table);

// Empty for a policy whose filters we cannot ask.
std::optional<LevelDbPolicy> known_leveldb_policy(std::string_view policy_name);
// Two writers that hash some keys differently share this name; see LevelDbWriter.
bool is_older_leveldb_policy(std::string_view policy_name);

// The keys of a data block as the file stores them, kMalformed where its checksum is wrong.
Result<std::vector<std::vector<std::byte>>> leveldb_keys_of(ByteView file, LevelDbHandle data_block,
                                                            DecodeLimits limits);
// Without the eight bytes of sequence and type; empty if there are fewer.
ByteView leveldb_user_key(ByteView stored_key);
inline constexpr std::size_t kSequenceAndType = 8;  // the bytes it leaves out

}  // namespace bloomery
