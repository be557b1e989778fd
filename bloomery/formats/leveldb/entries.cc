#include "bloomery/formats/leveldb/entries.h"

#include <snappy.h>

#include "bloomery/base/varint.h"
#include "bloomery/hash/crc32c.h"

namespace bloomery {
namespace {

constexpr std::size_t kTrailerBytes = 5;  // one byte of type, four of checksum

Error malformed_entry(std::size_t at) {
  return {ErrorCode::kMalformed,
          message("the entry at byte ", at, " of a table block contradicts itself")};
}

Error block_too_large(std::uint64_t size, DecodeLimits limits) {
  return {ErrorCode::kTooLarge, message("a block of the table has ", size,
                                        " bytes, and the limit is ", limits.max_bytes)};
}

}  // namespace

// A checksum of bytes that hold checksums is weak, so the stored form is rotated and shifted
// (LevelDB 1.23, util/crc32c.h).
std::uint32_t leveldb_checksum(ByteView bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

Result<LevelDbHandle> read_handle(ByteReader& reader) {
  const auto offset = read_varint(reader);
  const auto size = offset ? read_varint(reader) : std::nullopt;
  if (!size)
    return Error{ErrorCode::kMalformed,
                 "a block handle of the table does not hold two numbers of up to 64 bits"};
  return LevelDbHandle{*offset, *size};
}

Result<LevelDbStoredBlock> find_block(ByteView file, LevelDbHandle handle, DecodeLimits limits) {
  if (file.size() < kTrailerBytes || handle.offset > file.size() - kTrailerBytes ||
      handle.size > file.size() - kTrailerBytes - handle.offset)
    return Error{ErrorCode::kMalformed,
                 message("a block of ", handle.size, " bytes at byte ", handle.offset,
                         " would lie outside the table of ", file.size(), " bytes")};
  if (handle.size > limits.max_bytes) return block_too_large(handle.size, limits);
  const auto size = static_cast<std::size_t>(handle.size);
  const ByteView mapped =
      file.subspan(static_cast<std::size_t>(handle.offset), size + kTrailerBytes);
  std::vector<std::byte> all{mapped.begin(), mapped.end()};
  const auto stored_crc = load_le<std::uint32_t>(all.data() + size + 1);
  const auto type = static_cast<std::uint8_t>(all[size]);
  const bool checksum_ok = stored_crc == leveldb_checksum(ByteView{all}.first(size + 1));
  all.resize(size);
  return LevelDbStoredBlock{std::move(all), type, checksum_ok};
}

namespace {

// Snappy's functions read the length once each, and RawUncompress writes what it finds there: the
// bytes must be ones that no other process changes.
Result<std::vector<std::byte>> unpack_snappy(ByteView stored, DecodeLimits limits) {
  const char* const packed = text_of(stored).data();
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(packed, stored.size(), &size))
    return Error{ErrorCode::kMalformed, "a compressed block of the table does not say its length"};
  if (size > limits.max_bytes) return block_too_large(size, limits);
  // Checked first: the length comes from the file, and it would be allocated.
  if (!snappy::IsValidCompressedBuffer(packed, stored.size()))
    return Error{ErrorCode::kMalformed, "a block of the table is not what Snappy makes"};
  std::vector<std::byte> out(size);
  if (!snappy::RawUncompress(packed, stored.size(), reinterpret_cast<char*>(out.data())))
    return Error{ErrorCode::kMalformed, "a block of the table is not what Snappy makes"};
  return out;
}

}  // namespace

Result<std::vector<std::byte>> unpacked(LevelDbStoredBlock block, DecodeLimits limits) {
  if (block.type > 1)
    return Error{ErrorCode::kUnsupported,
                 message("a block of the table has compression type ", +block.type,
                         ", and only 0 (none) and 1 (Snappy) are known")};
  if (block.type == 1) return unpack_snappy(block.stored, limits);
  if (block.stored.size() > limits.max_bytes) return block_too_large(block.stored.size(), limits);
  return std::move(block.stored);
}

Result<LevelDbEntries> LevelDbEntries::open(ByteView block) {
  if (block.size() < 4)
    return Error{ErrorCode::kMalformed, message("a block of the table has ", block.size(),
                                                " bytes, and at least 4 are "
                                                "needed to count its restart points")};
  const auto restarts = load_le<std::uint32_t>(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4)
    return Error{ErrorCode::kMalformed, message("a block of ", block.size(), " bytes claims ",
                                                restarts, " restart points")};
  return LevelDbEntries{block.first(block.size() - 4 - std::size_t{restarts} * 4)};
}

Result<bool> LevelDbEntries::next() {
  if (reader_.remaining() == 0) return false;
  const std::size_t at = reader_.position();
  const auto shared = read_varint(reader_);
  const auto own = read_varint(reader_);
  const auto value_size = read_varint(reader_);
  if (!shared || !own || !value_size || *shared > key_.size()) return malformed_entry(at);
  const ByteView own_key = reader_.take(*own);
  value_ = reader_.take(*value_size);
  if (reader_.failed()) return malformed_entry(at);
  key_.resize(static_cast<std::size_t>(*shared));
  key_.insert(key_.end(), own_key.begin(), own_key.end());
  return true;
}

}  // namespace bloomery
