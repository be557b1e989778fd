#include "bloomery/formats/parquet/column_reader.h"

#include <algorithm>
#include <bit>

#include "bloomery/base/message.h"

namespace bloomery {

ParquetColumnReader::ParquetColumnReader(ByteView file, const ParquetTable& table,
                                         std::size_t column, ParquetDecompress decompress,
                                         DecodeLimits limits)
    : file_{file},
      table_{&table},
      column_index_{column},
      column_{&table.columns[column]},
      decompress_{std::make_unique<ParquetDecompress>(std::move(decompress))},
      limits_{limits} {}

Result<ParquetColumnReader> ParquetColumnReader::open(ByteView file, const ParquetTable& table,
                                                      std::size_t column,
                                                      ParquetDecompress decompress,
                                                      DecodeLimits limits) {
  const auto refused = [&](std::string_view why) {
    return Error{ErrorCode::kUnsupported,
                 message("column ", table.columns[column].path, ": ", why)};
  };
  if (table.columns[column].type == ParquetType::kInt96)
    return refused("values of type int96, a deprecated form of timestamps, are not supported");
  for (std::size_t i = 0; i < table.row_group_rows.size(); ++i) {
    const ParquetChunk& chunk = table.chunk(i, column);
    if (chunk.is_encrypted) return refused("it is encrypted");
    if (chunk.is_elsewhere)
      return refused("its data are in another file, which the footer names; that is not supported");
  }
  return ParquetColumnReader{file, table, column, std::move(decompress), limits};
}

Error ParquetColumnReader::at_page(const Error& error) const {
  return {error.code, message("column ", column_->path, ": row group ", next_row_group_ - 1,
                              ", page ", page_number_, ": ", error.message)};
}

std::uint64_t ParquetColumnReader::position() const {
  if (next_row_group_ == 0) return 0;
  const ParquetChunk& chunk = table_->chunk(next_row_group_ - 1, column_index_);
  return chunk.begin + chunk.bytes - (pages_ ? pages_->left() : 0);
}

Status ParquetColumnReader::open_row_group() {
  const ParquetChunk& chunk = table_->chunk(next_row_group_++, column_index_);
  dictionary_.reset();
  row_group_entries_ = chunk.entries;
  page_number_ = 0;
  pages_ = std::make_unique<ParquetPageReader>(
      file_.subspan(static_cast<std::size_t>(chunk.begin), static_cast<std::size_t>(chunk.bytes)),
      chunk.codec, *column_, *decompress_, limits_);
  return ok();
}

Status ParquetColumnReader::take_dictionary(const ParquetPage& page) {
  if (dictionary_) return Error{ErrorCode::kMalformed, "it is a second dictionary"};
  if (page.encoding != static_cast<std::int64_t>(ParquetEncoding::kPlain) &&
      page.encoding != static_cast<std::int64_t>(ParquetEncoding::kPlainDictionary))
    return Error{ErrorCode::kUnsupported,
                 message("a dictionary in the encoding ", encoding_name(page.encoding),
                         " is not supported")};
  auto dictionary = read_parquet_dictionary(*column_, page.values, page.entries);
  if (!dictionary) return dictionary.error();
  dictionary_ = std::make_unique<ParquetDictionary>(std::move(*dictionary));
  return ok();
}

Status ParquetColumnReader::open_data(const ParquetPage& page) {
  if (page.levels_are_bit_packed)
    return Error{ErrorCode::kUnsupported,
                 "levels in the deprecated encoding BIT_PACKED are not supported"};
  if (page.entries > row_group_entries_)
    return Error{ErrorCode::kMalformed, message("it has ", page.entries, " values, and only ",
                                                row_group_entries_, " are left of the row group")};
  row_group_entries_ -= page.entries;
  page_entries_ = page.entries;
  definition_ =
      HybridDecoder{page.definition, static_cast<unsigned>(std::bit_width(column_->definition))};
  auto decoder = ParquetValueDecoder::open(*column_, page.encoding, page.values, page.entries,
                                           dictionary_.get());
  if (!decoder) return decoder.error();
  decoder_ = std::move(*decoder);
  return ok();
}

Result<bool> ParquetColumnReader::next_page() {
  for (;;) {
    if (!pages_) {
      if (next_row_group_ == table_->row_group_rows.size()) return false;
      if (auto done = open_row_group(); !done) return done.error();
    }
    if (row_group_entries_ == 0) {
      pages_.reset();
      continue;
    }
    ParquetPage page;
    const auto there = pages_->next(page);
    if (!there) return at_page(there.error());
    if (!*there)
      return Error{ErrorCode::kTruncated,
                   message("column ", column_->path, ": row group ", next_row_group_ - 1, ": ",
                           row_group_entries_, " values are missing after page ", page_number_)};
    const bool is_dictionary = page.kind == ParquetPageKind::kDictionary;
    if (auto done = is_dictionary ? take_dictionary(page) : open_data(page); !done)
      return at_page(done.error());
    if (!is_dictionary && page_entries_ > 0) return true;
    ++page_number_;
  }
}

Status ParquetColumnReader::read_levels() {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(page_entries_, kMostValues));
  first_place_ = entries_;
  entries_ += count;
  page_entries_ -= count;
  handed_out_ = 0;
  present_ = count;
  has_nulls_ = false;
  if (column_->definition == 0) return ok();
  levels_.resize(count);
  if (!definition_.read(levels_))
    return Error{ErrorCode::kMalformed, "its definition levels end before the last one"};
  places_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (levels_[i] > column_->definition)
      return Error{ErrorCode::kMalformed, message("it has the definition level ", levels_[i],
                                                  ", and the highest is ", column_->definition)};
    if (levels_[i] == column_->definition) places_.push_back(i);
  }
  present_ = places_.size();
  nulls_ += count - present_;
  has_nulls_ = present_ < count;
  return ok();
}

Result<std::size_t> ParquetColumnReader::read_values() {
  const std::size_t count = present_ - handed_out_;
  if (column_->is_number()) {
    numbers_.resize(count);
    if (auto done = decoder_.read(numbers_); !done) return done.error();
    return count;
  }
  bytes_.resize(count);
  return decoder_.read(bytes_);
}

Result<bool> ParquetColumnReader::next(ParquetValues& values) {
  while (handed_out_ == present_) {
    if (page_entries_ == 0) {
      if (pages_) ++page_number_;
      const auto there = next_page();
      if (!there || !*there) return there;
    }
    if (auto done = read_levels(); !done) return at_page(done.error());
  }
  const auto count = read_values();
  if (!count) return at_page(count.error());
  values = {};
  if (column_->is_number())
    values.numbers = numbers_;
  else
    values.bytes = std::span<const ByteView>{bytes_}.first(*count);
  values.first_place = first_place_ + (has_nulls_ ? 0 : handed_out_);
  if (has_nulls_)
    values.places = std::span<const std::size_t>{places_}.subspan(handed_out_, *count);
  handed_out_ += *count;
  return true;
}

}  // namespace bloomery
