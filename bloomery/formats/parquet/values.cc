#include "bloomery/formats/parquet/values.h"

#include <algorithm>
#include <array>

#include "bloomery/base/message.h"

namespace bloomery {
namespace {

Error broken_values(std::string_view why) {
  return {ErrorCode::kMalformed, message("its values ", why)};
}
Error values_end() { return broken_values("end before the last one"); }

unsigned bytes_of_number(ParquetType type) {
  return type == ParquetType::kInt32 || type == ParquetType::kFloat ? 4 : 8;
}

// Of a number as the column stores it.
std::int64_t widened(const ParquetColumn& column, std::uint64_t bits) {
  if (column.type == ParquetType::kInt32 && !column.is_unsigned)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  if (bytes_of_number(column.type) == 4) return static_cast<std::uint32_t>(bits);
  return static_cast<std::int64_t>(bits);
}

bool is_integer(ParquetType type) {
  return type == ParquetType::kInt32 || type == ParquetType::kInt64;
}

// Which columns an encoding is for.
bool suits(ParquetEncoding encoding, const ParquetColumn& column) {
  switch (encoding) {
    case ParquetEncoding::kPlain:
      return true;
    case ParquetEncoding::kPlainDictionary:
    case ParquetEncoding::kRleDictionary:
      return column.type != ParquetType::kBoolean;
    case ParquetEncoding::kRle:
      return column.type == ParquetType::kBoolean;
    case ParquetEncoding::kDeltaBinaryPacked:
      return is_integer(column.type);
    case ParquetEncoding::kDeltaLengthByteArray:
      return column.type == ParquetType::kByteArray;
    case ParquetEncoding::kDeltaByteArray:
      return !column.is_number();
    case ParquetEncoding::kByteStreamSplit:
      return column.type != ParquetType::kBoolean && column.type != ParquetType::kByteArray;
    case ParquetEncoding::kBitPacked:
      return false;
  }
  return false;
}

}  // namespace

std::string encoding_name(std::int64_t encoding) {
  constexpr std::array<std::string_view, 10> kNames = {
      "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
      "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
      "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
  if (encoding < 0 || static_cast<std::size_t>(encoding) >= kNames.size())
    return message("number ", encoding);
  return std::string{kNames.at(static_cast<std::size_t>(encoding))};
}

Result<ParquetValueDecoder> ParquetValueDecoder::open(const ParquetColumn& column,
                                                      std::int64_t encoding, ByteView bytes,
                                                      std::uint64_t most,
                                                      const ParquetDictionary* dictionary) {
  if (encoding < 0 || encoding > static_cast<std::int64_t>(ParquetEncoding::kByteStreamSplit) ||
      encoding == 1)
    return Error{ErrorCode::kUnsupported,
                 message("the encoding ", encoding_name(encoding), " is not supported")};
  ParquetValueDecoder decoder;
  decoder.column_ = &column;
  decoder.encoding_ = static_cast<ParquetEncoding>(encoding);
  decoder.bytes_ = bytes;
  if (!suits(decoder.encoding_, column))
    return Error{ErrorCode::kUnsupported,
                 message("the encoding ", encoding_name(encoding), " is not one for the type ",
                         type_in_words(column))};
  switch (decoder.encoding_) {
    case ParquetEncoding::kPlainDictionary:
    case ParquetEncoding::kRleDictionary:
      if (dictionary == nullptr) return broken_values("need a dictionary, and the column has none");
      decoder.dictionary_ = dictionary;
      if (bytes.empty()) break;  // a page of nulls
      if (std::to_integer<unsigned>(bytes[0]) > 32)
        return broken_values("have indexes of more than 32 bits");
      decoder.hybrid_ = HybridDecoder{bytes.subspan(1), std::to_integer<unsigned>(bytes[0])};
      break;
    case ParquetEncoding::kRle: {
      ByteReader reader{bytes};
      const auto size = reader.le<std::uint32_t>();
      decoder.hybrid_ = HybridDecoder{reader.take(size), 1};
      if (reader.failed() && !bytes.empty()) return values_end();
      break;
    }
    case ParquetEncoding::kDeltaBinaryPacked:
    case ParquetEncoding::kDeltaLengthByteArray:
    case ParquetEncoding::kDeltaByteArray: {
      if (bytes.empty()) break;
      const bool is_joined = decoder.encoding_ == ParquetEncoding::kDeltaByteArray;
      auto lengths = DeltaDecoder::open(bytes, most);
      if (!lengths) return lengths.error();
      if (decoder.encoding_ == ParquetEncoding::kDeltaBinaryPacked) {
        decoder.lengths_ = *lengths;
        break;
      }
      auto rest = lengths->behind();
      if (!rest) return rest.error();
      if (is_joined) {
        decoder.prefixes_ = *lengths;
        lengths = DeltaDecoder::open(*rest, most);
        if (!lengths) return lengths.error();
        rest = lengths->behind();
        if (!rest) return rest.error();
      }
      decoder.lengths_ = *lengths;
      decoder.bytes_ = *rest;
      break;
    }
    case ParquetEncoding::kPlain:
    case ParquetEncoding::kByteStreamSplit:
    case ParquetEncoding::kBitPacked:
      break;
  }
  return decoder;
}

Result<ByteView> ParquetValueDecoder::take(std::uint64_t size) {
  if (size > bytes_.size() - position_) return values_end();
  const ByteView taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
  position_ += taken.size();
  return taken;
}

Status ParquetValueDecoder::read_plain_numbers(std::span<std::int64_t> into) {
  if (column_->type == ParquetType::kBoolean) {
    if (into.size() > bytes_.size() * 8 - position_) return values_end();
    for (std::int64_t& number : into) {
      number = static_cast<std::int64_t>(
          std::to_integer<unsigned>(bytes_[position_ / 8]) >> (position_ % 8) & 1U);
      ++position_;
    }
    return ok();
  }
  const unsigned size = bytes_of_number(column_->type);
  const auto taken = take(std::uint64_t{size} * into.size());
  if (!taken) return taken.error();
  const std::byte* from = taken->data();
  for (std::int64_t& number : into) {
    number =
        widened(*column_, size == 4 ? load_le<std::uint32_t>(from) : load_le<std::uint64_t>(from));
    from += size;
  }
  return ok();
}

Status ParquetValueDecoder::read_split_numbers(std::span<std::int64_t> into) {
  const unsigned size = bytes_of_number(column_->type);
  const std::size_t all = bytes_.size() / size;
  if (into.size() > all - position_) return values_end();
  for (std::int64_t& number : into) {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < size; ++k)
      bits |= std::to_integer<std::uint64_t>(bytes_[k * all + position_]) << (8 * k);
    number = widened(*column_, bits);
    ++position_;
  }
  return ok();
}

Status ParquetValueDecoder::read_indexes(std::size_t count, std::size_t entries) {
  indexes_.resize(count);
  // The bytes of a page of nulls are none, and its width is then 0.
  if (bytes_.empty() || !hybrid_.read(indexes_)) return values_end();
  for (const std::uint32_t index : indexes_)
    if (index >= entries)
      return broken_values(message("name entry ", index, " of a dictionary of ", entries));
  return ok();
}

Status ParquetValueDecoder::read(std::span<std::int64_t> into) {
  if (into.empty()) return ok();
  switch (encoding_) {
    case ParquetEncoding::kPlain:
      return read_plain_numbers(into);
    case ParquetEncoding::kByteStreamSplit:
      return read_split_numbers(into);
    case ParquetEncoding::kPlainDictionary:
    case ParquetEncoding::kRleDictionary:
      if (auto done = read_indexes(into.size(), dictionary_->numbers.size()); !done) return done;
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = dictionary_->numbers[indexes_[i]];
      return ok();
    case ParquetEncoding::kRle:
      indexes_.resize(into.size());
      if (!hybrid_.read(indexes_)) return values_end();
      std::ranges::copy(indexes_, into.begin());
      return ok();
    default:
      break;
  }
  if (!lengths_.read(into)) return values_end();
  for (std::int64_t& number : into) number = widened(*column_, static_cast<std::uint64_t>(number));
  return ok();
}

Status ParquetValueDecoder::read_plain_bytes(std::span<ByteView> into) {
  for (ByteView& value : into) {
    std::uint64_t size = column_->fixed_bytes;
    if (column_->type == ParquetType::kByteArray) {
      const auto prefix = take(sizeof(std::uint32_t));
      if (!prefix) return prefix.error();
      size = load_le<std::uint32_t>(prefix->data());
    }
    const auto taken = take(size);
    if (!taken) return taken.error();
    value = *taken;
  }
  return ok();
}

Result<std::size_t> ParquetValueDecoder::read_split_bytes(std::span<ByteView> into) {
  const std::size_t size = column_->fixed_bytes;
  const std::size_t all = bytes_.size() / size;
  if (into.size() > all - position_) return values_end();
  const std::size_t count = std::clamp<std::size_t>(kPieceBytes / size, 1, into.size());
  arena_.resize(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < size; ++k) arena_[i * size + k] = bytes_[k * all + position_];
    into[i] = ByteView{arena_}.subspan(i * size, size);
    ++position_;
  }
  return count;
}

Status ParquetValueDecoder::read_lengths(std::span<ByteView> into) {
  numbers_.resize(into.size());
  if (!lengths_.read(numbers_)) return values_end();
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (numbers_[i] < 0) return broken_values("have a negative length");
    const auto taken = take(static_cast<std::uint64_t>(numbers_[i]));
    if (!taken) return taken.error();
    into[i] = *taken;
  }
  return ok();
}

// Each value is a prefix of the one before and a rest of its own.
Result<std::size_t> ParquetValueDecoder::read_joined(std::span<ByteView> into) {
  if (pending_ == 0) {
    pending_ = into.size();
    numbers_.resize(pending_);
    prefix_numbers_.resize(pending_);
    if (!prefixes_.read(prefix_numbers_) || !lengths_.read(numbers_)) return values_end();
  }
  arena_.clear();
  std::vector<std::size_t> ends;
  const std::size_t first = numbers_.size() - pending_;
  while (pending_ > 0 && ends.size() < into.size() &&
         (ends.empty() || arena_.size() < kPieceBytes)) {
    const std::size_t place = numbers_.size() - pending_;
    const std::int64_t prefix = prefix_numbers_[place];
    if (prefix < 0 || static_cast<std::uint64_t>(prefix) > last_.size())
      return broken_values("continue more of the value before than it has");
    if (numbers_[place] < 0) return broken_values("have a negative length");
    const auto rest = take(static_cast<std::uint64_t>(numbers_[place]));
    if (!rest) return rest.error();
    last_.resize(static_cast<std::size_t>(prefix));
    last_.insert(last_.end(), rest->begin(), rest->end());
    if (column_->type == ParquetType::kFixedBytes && last_.size() != column_->fixed_bytes)
      return broken_values("do not have the length of their type");
    arena_.insert(arena_.end(), last_.begin(), last_.end());
    ends.push_back(arena_.size());
    --pending_;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    into[i] = ByteView{arena_}.subspan(begin, ends[i] - begin);
    begin = ends[i];
  }
  return numbers_.size() - pending_ - first;
}

Result<std::size_t> ParquetValueDecoder::read(std::span<ByteView> into) {
  if (into.empty()) return std::size_t{0};
  Status done = ok();
  switch (encoding_) {
    case ParquetEncoding::kDeltaByteArray:
      return read_joined(into);
    case ParquetEncoding::kByteStreamSplit:
      return read_split_bytes(into);
    case ParquetEncoding::kPlain:
      done = read_plain_bytes(into);
      break;
    case ParquetEncoding::kDeltaLengthByteArray:
      done = read_lengths(into);
      break;
    default:
      done = read_indexes(into.size(), dictionary_->bytes.size());
      if (!done) break;
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = dictionary_->bytes[indexes_[i]];
  }
  if (!done) return done.error();
  return into.size();
}

Result<ParquetDictionary> read_parquet_dictionary(const ParquetColumn& column, ByteView bytes,
                                                  std::uint64_t count) {
  const std::uint64_t least = column.type == ParquetType::kFixedBytes ? column.fixed_bytes
                              : column.type == ParquetType::kByteArray
                                  ? 4
                                  : bytes_of_number(column.type);
  if (column.type == ParquetType::kBoolean || count > bytes.size() / least)
    return Error{
        ErrorCode::kMalformed,
        message("a dictionary of ", count, " values does not fit into ", bytes.size(), " bytes")};
  auto decoder = ParquetValueDecoder::open(
      column, static_cast<std::int64_t>(ParquetEncoding::kPlain), bytes, count, nullptr);
  if (!decoder) return decoder.error();
  ParquetDictionary dictionary;
  if (column.is_number()) {
    dictionary.numbers.resize(static_cast<std::size_t>(count));
    if (auto done = decoder->read(dictionary.numbers); !done) return done.error();
  } else {
    dictionary.bytes.resize(static_cast<std::size_t>(count));
    if (auto done = decoder->read(dictionary.bytes); !done) return done.error();
  }
  return dictionary;
}

}  // namespace bloomery
