// LevelDB's files carry checksums, which no mutation meets by chance: here they are set right, so
// that what lies behind them is reached too.
#pragma once
#include <vector>

#include "bloomery/formats/leveldb/table.h"

namespace bloomery::fuzz {

inline std::vector<std::byte> with_right_log_checksums(ByteView input) {
  constexpr std::size_t kBlockBytes = 32768;
  constexpr std::size_t kHeaderBytes = 7;
  std::vector<std::byte> file{input.begin(), input.end()};
  for (std::size_t at = 0; at + kHeaderBytes <= file.size();) {
    const std::size_t left = kBlockBytes - at % kBlockBytes;
    const std::size_t length = load_le<std::uint16_t>(file.data() + at + 4);
    const bool fits = kHeaderBytes + length <= std::min(left, file.size() - at);
    if (left < kHeaderBytes || !fits) {
      at += left;
      continue;
    }
    store_le(file.data() + at, leveldb_checksum(ByteView{file}.subspan(at + 6, length + 1)));
    at += kHeaderBytes + length;
  }
  return file;
}

inline void set_checksum(std::vector<std::byte>& file, LevelDbHandle handle) {
  if (!find_block(file, handle, DecodeLimits{})) return;
  const auto offset = static_cast<std::size_t>(handle.offset);
  const auto size = static_cast<std::size_t>(handle.size);
  store_le(file.data() + offset + size + 1,
           leveldb_checksum(ByteView{file}.subspan(offset, size + 1)));
}

// The metaindex and the index name the other blocks, so they come first.
inline std::vector<std::byte> with_right_table_checksums(ByteView input,
                                                         const DecodeOptions& options) {
  std::vector<std::byte> file{input.begin(), input.end()};
  for (int round = 0; round < 2; ++round) {
    const auto table = decode_leveldb_table(file, options);
    if (!table) return file;
    set_checksum(file, table->metaindex_handle);
    set_checksum(file, table->index_handle);
    if (table->filter_handle) set_checksum(file, *table->filter_handle);
    for (const LevelDbDataBlock& block : table->data_blocks) set_checksum(file, block.handle);
  }
  return file;
}

}  // namespace bloomery::fuzz
