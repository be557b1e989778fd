#include "bloomery/formats/index/filter_reader.h"

#include <algorithm>

#include "bloomery/base/error.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/classic/counters.h"

namespace bloomery::internal {
namespace {

// One bit for each counter that is not 0.
template <unsigned kCounterBits>
void mark_counters(ByteView counters, ByteSpan bits) {
  constexpr std::size_t kPerByte = Counters<kCounterBits>::kPerByte;
  for (std::size_t i = 0; i < counters.size() * kPerByte && i / 8 < bits.size(); ++i)
    if (Counters<kCounterBits>::get(counters, i) != 0) bits[i / 8] |= std::byte{1} << (i % 8);
}

std::string full_name(const std::string& path, const std::string& sentence) {
  return sentence.starts_with(path) ? sentence : message(path, ": ", sentence);
}

}  // namespace

Result<FilterReader> FilterReader::open(const FilterToIndex& filter) {
  const auto wrong = [&](const Error& error) {
    return Error{error.code, full_name(filter.path, error.message)};
  };
  const auto file = PositionedFile::open_to_read(filter.path);
  if (!file) return wrong(file.error());
  const auto size = file->size();
  if (!size) return wrong(size.error());
  NativeHeaderBytes first{};
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(*size, first.size()));
  if (auto got = file->read_at(0, ByteSpan{first}.first(known)); !got) return wrong(got.error());
  const auto header =
      decode_native_header(ByteView{first}.first(known), *size, {.max_bytes = UINT64_MAX});
  if (!header) return wrong(header.error());
  const auto shape = indexed_shape(*header);
  if (!shape) return wrong(shape.error());
  return FilterReader{filter, *header, *shape};
}

FilterReader::FilterReader(const FilterToIndex& filter, const NativeHeader& header,
                           const NativeHeader& shape)
    : filter_{&filter}, header_{header}, shape_{shape}, tally_{header.block_shape()} {}

Error FilterReader::named(const Error& error) const {
  return {error.code, full_name(filter_->path, error.message)};
}

Status FilterReader::read(std::uint64_t first_byte, ByteSpan bits) {
  const auto file = PositionedFile::open_to_read(filter_->path);
  if (!file) return named(file.error());
  if (auto got = read_body(*file, first_byte, bits); !got) return named(got.error());
  ones_ += count_ones(bits);
  if (!shape_.is_blocks()) {
    const std::uint64_t left = shape_.bits - std::min(shape_.bits, first_byte * 8);
    return zero_past(bits, std::min<std::uint64_t>(left, bits.size() * 8)) ? ok()
                                                                           : named(dirty_end());
  }
  const std::uint64_t first = first_byte / block::kBlockBytes;
  const std::uint64_t end = first + bits.size() / block::kBlockBytes;
  for (; tallied_ < tally_.blocks() && tally_.block(tallied_) < end; ++tallied_) {
    block::BlockMask sectors;
    const auto at = static_cast<std::size_t>(tally_.block(tallied_) - first);
    std::memcpy(sectors.data(), bits.data() + at * block::kBlockBytes, sizeof sectors);
    tally_.add(sectors);
  }
  return ok();
}

Status FilterReader::read_body(const PositionedFile& file, std::uint64_t first_byte,
                               ByteSpan bits) {
  if (header_.kind != NativeKind::kCounting) {
    auto got = file.read_at(kNativeHeaderBytes + first_byte, bits);
    if (got) checksum_.add(bits);
    return got;
  }
  // The last stretch of counters may be shorter than that of their bits: each is whole words.
  const std::uint64_t from = first_byte * header_.counter_bits;
  const std::uint64_t bytes =
      std::min<std::uint64_t>(bits.size() * header_.counter_bits, header_.body_bytes - from);
  std::vector<std::byte> counters(static_cast<std::size_t>(bytes));
  if (auto got = file.read_at(kNativeHeaderBytes + from, counters); !got) return got;
  checksum_.add(counters);
  std::ranges::fill(bits, std::byte{0});
  if (header_.counter_bits == 2)
    mark_counters<2>(counters, bits);
  else if (header_.counter_bits == 4)
    mark_counters<4>(counters, bits);
  else
    mark_counters<8>(counters, bits);
  return ok();
}

Result<IndexedFilter> FilterReader::finish() const {
  if (checksum_.value() != header_.body_checksum) return named(damaged_body());
  IndexedFilter filter{filter_->name, ones_, 0, header_.provenance()};
  filter.rate = shape_.is_blocks() ? tally_.health(std::nullopt).error_rate
                                   : classic_health(shape_.shape(), ones_, std::nullopt).error_rate;
  return filter;
}

}  // namespace bloomery::internal
