#include "apps/ethlog/kv/leveldb_salvage.h"

#include <algorithm>
#include <vector>

#include "apps/ethlog/kv/leveldb_check.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/leveldb/entries.h"
#include "bloomery/formats/leveldb/log.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kHeaderBytes = 7;

// A log as LevelDB writes it: records in pieces, none of which crosses a block of 32 KiB.
class LogBytes {
 public:
  void append(ByteView record) {
    for (bool begin = true, end = false; !end; begin = false) {
      std::size_t left = kBlockBytes - bytes_.size() % kBlockBytes;
      if (left < kHeaderBytes) {  // too few for a piece: zeros
        bytes_.resize(bytes_.size() + left);
        left = kBlockBytes;
      }
      const std::size_t taken = std::min(record.size(), left - kHeaderBytes);
      end = taken == record.size();
      append_piece(type_of(begin, end), record.first(taken));
      record = record.subspan(taken);
    }
  }
  ByteView bytes() const { return bytes_; }

 private:
  static std::byte type_of(bool begin, bool end) {
    if (begin) return std::byte{end ? std::uint8_t{1} : std::uint8_t{2}};
    return std::byte{end ? std::uint8_t{4} : std::uint8_t{3}};
  }
  void append_piece(std::byte type, ByteView data) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + kHeaderBytes);
    bytes_[at + 6] = type;
    bytes_.insert(bytes_.end(), data.begin(), data.end());
    store_le(bytes_.data() + at, leveldb_checksum(ByteView{bytes_}.subspan(at + 6)));
    store_le(bytes_.data() + at + 4, static_cast<std::uint16_t>(data.size()));
  }

  std::vector<std::byte> bytes_;
};

// Batches of changes, each with the number of its first. One that comes again, or late, would be
// taken for another change of the same number: LevelDB's repair aborts over it.
class WholeBatches {
 public:
  bool take(ByteView record) {
    if (!decodes(record)) return false;
    const auto first = load_le<std::uint64_t>(record.data());
    if (first < next_) return false;
    next_ = first + load_le<std::uint32_t>(record.data() + 8);
    return true;
  }

 private:
  static bool decodes(ByteView record);
  std::uint64_t next_ = 0;
};

bool WholeBatches::decodes(ByteView record) {
  auto batch = LevelDbBatch::open(record);
  while (batch) {
    const auto more = batch->next();
    if (!more) return false;
    if (!*more) return true;
  }
  return false;
}

Status keep_a_copy(const fs::path& folder, const fs::path& log) {
  const fs::path lost = folder / "lost";
  std::error_code failed;
  fs::create_directory(lost, failed);
  const fs::path copy = lost / message(log.filename().string(), ".damaged");
  if (!failed && !fs::exists(copy, failed)) fs::create_hard_link(log, copy, failed);
  if (failed)
    return Error{ErrorCode::kIo,
                 message(copy.string(), ": cannot keep the damaged log: ", failed.message())};
  return ok();
}

Status keep_whole_records_of(const fs::path& folder, const fs::path& log, WholeBatches& batches) {
  const auto bytes = read_file(log, {.max_bytes = kMostLogBytes});
  if (!bytes) return bytes.error();
  LevelDbLogReader reader{*bytes};
  LogBytes kept;
  bool all = true;
  while (const auto record = reader.next()) {
    if (batches.take(*record))
      kept.append(*record);
    else
      all = false;
  }
  if (all && reader.damaged_bytes() == 0 && reader.torn_bytes() == 0) return ok();
  if (Status s = keep_a_copy(folder, log); !s) return s;
  return save_file(log, kept.bytes());
}

}  // namespace

Status keep_whole_records(const fs::path& folder) {
  const auto logs = leveldb_logs(folder);
  if (!logs) return logs.error();
  WholeBatches batches;
  for (const fs::path& log : *logs)
    if (Status s = keep_whole_records_of(folder, log, batches); !s) return s;
  return ok();
}

}  // namespace bloomery::ethlog
