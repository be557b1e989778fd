#include "bloomery/formats/leveldb/log.h"

#include <algorithm>

#include "bloomery/base/varint.h"
#include "bloomery/formats/leveldb/entries.h"

namespace bloomery {
namespace {

constexpr std::size_t kLogBlockBytes = 32768;
constexpr std::size_t kRecordHeaderBytes = 7;  // checksum, length, type
constexpr std::size_t kBatchHeaderBytes = 12;
// What a key in the set costs beside its bytes: a node, a string, a place in the table of buckets.
constexpr std::uint64_t kBytesPerKey = 64;

std::optional<ByteView> read_prefixed(ByteReader& reader) {
  const auto size = read_varint(reader);
  if (!size) return std::nullopt;
  const ByteView bytes = reader.take(*size);
  if (reader.failed()) return std::nullopt;
  return bytes;
}

Status add_batch(ByteView record, std::uint64_t& budget, LevelDbLog& log) {
  auto batch = LevelDbBatch::open(record);
  if (!batch) return batch.error();
  for (;;) {
    const auto more = batch->next();
    if (!more) return more.error();
    if (!*more) return ok();
    ++log.writes;
    if (batch->is_deletion()) ++log.deletions;
    const std::uint64_t cost = batch->key().size() + kBytesPerKey;
    if (!log.keys.emplace(text_of(batch->key())).second) continue;
    if (cost > budget)
      return Error{ErrorCode::kTooLarge,
                   "the keys of the log take more memory than the limit allows"};
    budget -= cost;
  }
}

}  // namespace

void LevelDbLogReader::drop(std::size_t at, std::uint64_t bytes, std::string_view what) {
  if (damaged_bytes_ == 0) first_damage_ = message(what, ", at byte ", at, " of ", file_.size());
  damaged_bytes_ += std::max<std::uint64_t>(1, bytes);
}

void LevelDbLogReader::drop_unfinished(std::string_view what) {
  if (in_record_) drop(record_at_, record_.size(), what);
  in_record_ = false;
  record_.clear();
}

LevelDbLogReader::Read LevelDbLogReader::end_here(std::size_t at) {
  if (in_record_) at = record_at_;
  torn_bytes_ = file_.size() - at;
  position_ = file_.size();
  return {Piece::kEnd, {}, at};
}

LevelDbLogReader::Read LevelDbLogReader::skip_block(std::size_t at, std::size_t block_end,
                                                    std::string_view what) {
  drop(at, block_end - at, what);
  position_ = block_end;
  return {Piece::kSkipped, {}, at};
}

LevelDbLogReader::Read LevelDbLogReader::read_piece() {
  for (;;) {
    const std::size_t at = position_;
    const std::size_t block_start = at - at % kLogBlockBytes;
    const std::size_t block_end = std::min(file_.size(), block_start + kLogBlockBytes);
    // A writer that died leaves a short block; a whole one is only wrong by damage.
    const bool may_be_torn = block_end - block_start < kLogBlockBytes;
    const std::size_t left = block_end - at;
    if (at == file_.size()) return end_here(at);
    if (left < kRecordHeaderBytes) {
      if (may_be_torn) return end_here(at);
      position_ = block_end;
      continue;
    }
    const std::byte* const header = file_.data() + at;
    const auto length = load_le<std::uint16_t>(header + 4);
    const auto type = static_cast<std::uint8_t>(header[6]);
    if (kRecordHeaderBytes + length > left) {
      if (may_be_torn) return end_here(at);
      return skip_block(at, block_end, "a record is longer than its block");
    }
    if (type == 0 && length == 0) {  // space that was set aside and never written
      position_ = block_end;
      return {Piece::kSkipped, {}, at};
    }
    const ByteView summed = file_.subspan(at + 6, std::size_t{length} + 1);
    if (load_le<std::uint32_t>(header) != leveldb_checksum(summed))
      return skip_block(at, block_end, "the checksum of a record is wrong");
    position_ += kRecordHeaderBytes + length;
    if (type >= 1 && type <= 4) return {Piece{type}, summed.subspan(1), at};
    drop(at, length, "a record has an unknown type");
    return {Piece::kSkipped, {}, at};
  }
}

std::optional<ByteView> LevelDbLogReader::next() {
  for (;;) {
    const Read read = read_piece();
    switch (read.piece) {
      case Piece::kEnd:
        in_record_ = false;
        return std::nullopt;
      case Piece::kSkipped:
        drop_unfinished("the end of a record is missing");
        break;
      case Piece::kFull:
        drop_unfinished("the end of a record is missing");
        return read.data;
      case Piece::kFirst:
        drop_unfinished("the end of a record is missing");
        in_record_ = true;
        record_at_ = read.at;
        record_.assign(read.data.begin(), read.data.end());
        break;
      case Piece::kMiddle:
      case Piece::kLast:
        if (!in_record_) {
          drop(read.at, read.data.size(), "the start of a record is missing");
          break;
        }
        record_.insert(record_.end(), read.data.begin(), read.data.end());
        if (read.piece == Piece::kMiddle) break;
        in_record_ = false;
        return record_;
    }
  }
}

Result<LevelDbBatch> LevelDbBatch::open(ByteView record) {
  if (record.size() < kBatchHeaderBytes)
    return Error{ErrorCode::kMalformed,
                 message("a batch of the log has ", record.size(),
                         " bytes, and its sequence and count alone take 12")};
  return LevelDbBatch{record.subspan(kBatchHeaderBytes), load_le<std::uint32_t>(record.data() + 8)};
}

Result<bool> LevelDbBatch::next() {
  const bool at_end = reader_.remaining() == 0;
  if (at_end && left_ == 0) return false;
  if (at_end || left_ == 0)
    return Error{ErrorCode::kMalformed,
                 "a batch of the log has another number of keys than it says"};
  --left_;
  const auto type = reader_.le<std::uint8_t>();
  if (type > 1)
    return Error{ErrorCode::kMalformed,
                 message("a batch of the log has an entry of type ", +type,
                         ", and only 0 (deleted) and 1 (written) are known")};
  is_deletion_ = type == 0;
  const auto key = read_prefixed(reader_);
  const bool whole = key && (is_deletion_ || read_prefixed(reader_));
  if (!whole) return Error{ErrorCode::kMalformed, "a batch of the log ends inside an entry"};
  key_ = *key;
  return true;
}

bool LevelDbLog::may_contain(ByteView key) const {
  return damaged_bytes > 0 || is_missing || keys.contains(std::string{text_of(key)});
}

Result<LevelDbLog> decode_leveldb_log(ByteView file, DecodeLimits limits) {
  LevelDbLog log;
  log.file_bytes = file.size();
  std::uint64_t budget = limits.max_bytes;
  LevelDbLogReader reader{file};
  std::uint64_t malformed_bytes = 0;
  while (const auto record = reader.next()) {
    ++log.batches;
    const auto added = add_batch(*record, budget, log);
    if (added) continue;
    if (added.error().code == ErrorCode::kTooLarge) return added.error();
    if (malformed_bytes == 0) log.first_damage = added.error().message;
    malformed_bytes += std::max<std::size_t>(1, record->size());
  }
  log.torn_bytes = reader.torn_bytes();
  log.damaged_bytes = reader.damaged_bytes() + malformed_bytes;
  if (reader.damaged_bytes() > 0) log.first_damage = reader.first_damage();
  return log;
}

}  // namespace bloomery
