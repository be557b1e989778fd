#include "bloomery/formats/parquet/pages.h"

#include <zlib.h>

#include <algorithm>

#include "bloomery/base/message.h"
#include "bloomery/formats/parquet/values.h"

namespace bloomery {
namespace {

enum class PageType : std::uint8_t { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };

Error broken_page(std::string_view why) { return {ErrorCode::kMalformed, std::string{why}}; }

// No stream of the codec gives more than this many bytes from one.
std::uint64_t most_expansion(ParquetCodec codec) {
  switch (codec) {
    case ParquetCodec::kNone:
      return 1;
    case ParquetCodec::kSnappy:
      return 64;
    case ParquetCodec::kLz4:
    case ParquetCodec::kLz4Raw:
      return 256;
    case ParquetCodec::kGzip:
    case ParquetCodec::kLzo:
      return 1040;
    case ParquetCodec::kZstd:
    case ParquetCodec::kBrotli:
      break;
  }
  return std::uint64_t{1} << 24;
}

std::uint32_t crc_of(ByteView bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ByteSpan PageBuffer::resize(std::size_t size) {
  if (size > size_ || size < size_ / 4) {
    data_.reset();
    data_ = std::make_unique_for_overwrite<std::byte[]>(size);
    size_ = size;
  }
  return {data_.get(), size};
}

struct ParquetPageReader::Header {
  std::int64_t type = -1;
  std::int64_t plain_bytes = -1;
  std::int64_t stored_bytes = -1;
  std::optional<std::uint32_t> crc;
  std::int64_t entries = -1;
  std::int64_t encoding = -1;
  std::int64_t definition_encoding = 3;
  std::int64_t repetition_encoding = 3;
  std::int64_t definition_bytes = 0;
  std::int64_t repetition_bytes = 0;
  bool is_compressed = true;
};

// PageHeader; fields 5, 7 and 8 are the header of one kind of page.
Result<ParquetPageReader::Header> ParquetPageReader::read_header() {
  Header header;
  ThriftReader reader{left_};
  const auto of_kind = [&](std::int64_t kind) {
    reader.read_struct([&](std::int64_t id, ThriftType type) {
      if (kind == 8 && id == 7) header.is_compressed = type != ThriftType::kFalse;
      if (type != ThriftType::kI32) return false;
      if (id == 1)
        header.entries = reader.read_integer();
      else if (id == (kind == 8 ? 4 : 2))
        header.encoding = reader.read_integer();
      else if (kind == 5 && id == 3)
        header.definition_encoding = reader.read_integer();
      else if (kind == 5 && id == 4)
        header.repetition_encoding = reader.read_integer();
      else if (kind == 8 && id == 5)
        header.definition_bytes = reader.read_integer();
      else if (kind == 8 && id == 6)
        header.repetition_bytes = reader.read_integer();
      else
        return false;
      return true;
    });
  };
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (type == ThriftType::kStruct && (id == 5 || id == 7 || id == 8)) {
      of_kind(id);
      return true;
    }
    if (type != ThriftType::kI32) return false;
    if (id == 1)
      header.type = reader.read_integer();
    else if (id == 2)
      header.plain_bytes = reader.read_integer();
    else if (id == 3)
      header.stored_bytes = reader.read_integer();
    else if (id == 4)
      header.crc = static_cast<std::uint32_t>(reader.read_integer());
    else
      return false;
    return true;
  });
  if (reader.failed()) return reader.error("its header");
  if (header.type < 0 || header.plain_bytes < 0 || header.stored_bytes < 0)
    return broken_page("its header has no type or no size");
  left_ = left_.subspan(reader.position());
  if (static_cast<std::uint64_t>(header.stored_bytes) > left_.size())
    return Error{ErrorCode::kTruncated, message("it has ", header.stored_bytes, " bytes, and only ",
                                                left_.size(), " are left of the column")};
  return header;
}

Result<ByteView> ParquetPageReader::decompressed(ByteView stored, std::uint64_t plain_bytes,
                                                 PageBuffer& into) const {
  if (codec_ == ParquetCodec::kNone) {
    if (stored.size() == plain_bytes) return stored;
    return broken_page(
        message("it has ", stored.size(), " bytes, and its header says ", plain_bytes));
  }
  if (plain_bytes == 0) return ByteView{};
  if (plain_bytes > limits_.max_bytes)
    return Error{ErrorCode::kTooLarge, message("it decompresses to ", plain_bytes,
                                               " bytes, and the limit is ", limits_.max_bytes)};
  if (plain_bytes / most_expansion(codec_) > stored.size())
    return broken_page(message(stored.size(), " bytes of ", codec_name(codec_),
                               " cannot decompress to ", plain_bytes));
  const ByteSpan plain = into.resize(static_cast<std::size_t>(plain_bytes));
  if (auto done = (*decompress_)(codec_, stored, plain); !done) return done.error();
  return ByteView{plain};
}

// Levels come first, each behind its length.
Status ParquetPageReader::split_v1(ByteView plain, const Header& header, ParquetPage& page) const {
  constexpr auto kBitPacked = static_cast<std::int64_t>(ParquetEncoding::kBitPacked);
  ByteReader reader{plain};
  if (column_->repetition > 0) {
    page.levels_are_bit_packed |= header.repetition_encoding == kBitPacked;
    page.repetition = reader.take(reader.le<std::uint32_t>());
  }
  if (column_->definition > 0) {
    page.levels_are_bit_packed |= header.definition_encoding == kBitPacked;
    page.definition = reader.take(reader.le<std::uint32_t>());
  }
  if (page.levels_are_bit_packed) return ok();  // their lengths are none
  if (reader.failed()) return reader.truncated("its levels");
  page.values = reader.rest();
  return ok();
}

Result<bool> ParquetPageReader::next(ParquetPage& page) {
  while (!left_.empty()) {
    const auto header = read_header();
    if (!header) return header.error();
    const auto type = static_cast<PageType>(std::min<std::int64_t>(header->type, 255));
    const ByteView mapped = left_.first(static_cast<std::size_t>(header->stored_bytes));
    left_ = left_.subspan(mapped.size());
    // Other kinds may be added to the format, and readers pass over them.
    if (type != PageType::kData && type != PageType::kDictionary && type != PageType::kDataV2)
      continue;
    const bool is_dictionary = type == PageType::kDictionary;
    if (header->entries < 0) return broken_page("its header has no number of values");
    if (mapped.size() > limits_.max_bytes)
      return Error{ErrorCode::kTooLarge, message("it has ", mapped.size(),
                                                 " bytes, and the limit is ", limits_.max_bytes)};
    const ByteSpan stored = (is_dictionary ? dictionary_stored_ : stored_).resize(mapped.size());
    std::ranges::copy(mapped, stored.begin());
    if (header->crc && *header->crc != crc_of(stored))
      return broken_page("its checksum is wrong: the file is damaged");
    page = {};
    page.kind = is_dictionary ? ParquetPageKind::kDictionary : ParquetPageKind::kData;
    page.entries = static_cast<std::uint64_t>(header->entries);
    page.encoding = header->encoding;
    const auto plain_bytes = static_cast<std::uint64_t>(header->plain_bytes);
    if (type != PageType::kDataV2) {
      const auto plain =
          decompressed(stored, plain_bytes, is_dictionary ? dictionary_plain_ : plain_);
      if (!plain) return plain.error();
      page.values = *plain;
      if (!is_dictionary)
        if (auto done = split_v1(*plain, *header, page); !done) return done.error();
      return true;
    }
    if (header->repetition_bytes < 0 || header->definition_bytes < 0)
      return broken_page("its header has levels of negative size");
    ByteReader reader{stored};
    page.repetition = reader.take(static_cast<std::uint64_t>(header->repetition_bytes));
    page.definition = reader.take(static_cast<std::uint64_t>(header->definition_bytes));
    const auto levels = static_cast<std::uint64_t>(header->repetition_bytes) +
                        static_cast<std::uint64_t>(header->definition_bytes);
    if (reader.failed() || levels > plain_bytes)
      return broken_page("its levels are longer than it is");
    page.values = reader.rest();
    if (!header->is_compressed) return true;
    const auto plain = decompressed(page.values, plain_bytes - levels, plain_);
    if (!plain) return plain.error();
    page.values = *plain;
    return true;
  }
  return false;
}

}  // namespace bloomery
