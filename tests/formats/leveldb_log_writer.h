// Writes log files as LevelDB lays them out, damaged ones too.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/leveldb/entries.h"

namespace bloomery::testing {

class LogWriter {
 public:
  void add(ByteView record) {
    bool first = true;
    do {
      if (left() < kHeaderBytes) file_.resize(file_.size() + left());
      const std::size_t size = std::min(record.size(), left() - kHeaderBytes);
      const bool last = size == record.size();
      add_piece(first && last ? 1 : first ? 2 : last ? 4 : 3, record.first(size));
      record = record.subspan(size);
      if (last) return;
      first = false;
    } while (true);
  }
  void add_piece(int type, ByteView data) {
    std::vector<std::byte> summed{static_cast<std::byte>(type)};
    summed.insert(summed.end(), data.begin(), data.end());
    ByteWriter writer;
    writer.le(leveldb_checksum(summed));
    writer.le(static_cast<std::uint16_t>(data.size()));
    writer.put(summed);
    const auto piece = writer.take();
    file_.insert(file_.end(), piece.begin(), piece.end());
  }
  const std::vector<std::byte>& file() const { return file_; }

 private:
  static constexpr std::size_t kBlockBytes = 32768;
  static constexpr std::size_t kHeaderBytes = 7;
  std::size_t left() const { return kBlockBytes - file_.size() % kBlockBytes; }
  std::vector<std::byte> file_;
};

inline void put_varint(ByteWriter& writer, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) writer.le(static_cast<std::uint8_t>(value | 0x80));
  writer.le(static_cast<std::uint8_t>(value));
}
inline void put_prefixed(ByteWriter& writer, std::string_view text) {
  put_varint(writer, text.size());
  writer.put(bytes_of(text));
}

// Keys, and whether each is written or deleted.
inline std::vector<std::byte> batch_of(const std::vector<std::pair<std::string, bool>>& keys) {
  ByteWriter writer;
  writer.le(std::uint64_t{1});
  writer.le(static_cast<std::uint32_t>(keys.size()));
  for (const auto& [key, written] : keys) {
    writer.le(static_cast<std::uint8_t>(written ? 1 : 0));
    put_prefixed(writer, key);
    if (written) put_prefixed(writer, "a value");
  }
  return writer.take();
}

}  // namespace bloomery::testing
