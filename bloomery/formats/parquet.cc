#include "bloomery/formats/parquet.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "bloomery/base/byte_writer.h"
#include "bloomery/formats/thrift_compact.h"
#include "bloomery/hash/xxh.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBlocks = ParquetFilter::kMostBytes / split_block::kBlockBytes;
constexpr std::size_t kHashedKeys = 256;  // keys hashed before the filter sees any

// Hashes keys group by group and calls visit(first key of the group, its hashes).
template <class Visit>
void in_hashed_groups(std::span<const ByteView> keys, Visit visit) {
  std::array<std::uint64_t, kHashedKeys> hashes;
  for (std::size_t at = 0; at < keys.size(); at += kHashedKeys) {
    const std::size_t size = std::min(kHashedKeys, keys.size() - at);
    for (std::size_t i = 0; i < size; ++i) hashes[i] = xxh64(keys[at + i]);
    visit(at, std::span<const std::uint64_t>{hashes}.first(size));
  }
}

// A union with one known member, an empty struct in field 1.
bool names_first_member(ThriftReader& reader) {
  bool first = false;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 1 && type == ThriftType::kStruct) first = true;
    return false;
  });
  return first;
}

struct RawHeader {
  std::optional<std::int64_t> filter_bytes;
  std::array<std::optional<bool>, 3> known;  // algorithm, hash, compression: present, and ours
};

RawHeader raw_header(ThriftReader& reader) {
  RawHeader header;
  reader.read_struct([&](std::int64_t id, ThriftType type) {
    if (id == 1 && type == ThriftType::kI32) {
      header.filter_bytes = reader.read_integer();
      return true;
    }
    if (id < 2 || id > 4 || type != ThriftType::kStruct) return false;
    header.known[static_cast<std::size_t>(id - 2)] = names_first_member(reader);
    return true;
  });
  return header;
}

// parquet-mr before the format was settled: three little-endian u32 (size, hash 0, algorithm 0).
bool is_deprecated_form(ByteView bytes) {
  if (bytes.size() < 12) return false;
  ByteReader reader{bytes};
  const auto size = reader.le<std::uint32_t>();
  return size > 0 && size % split_block::kBlockBytes == 0 &&
         std::uint64_t{size} + 12 == bytes.size() && reader.le<std::uint64_t>() == 0;
}

Status check_limit(std::uint64_t bytes, DecodeLimits limits) {
  if (bytes <= limits.max_bytes) return ok();
  return Error{ErrorCode::kTooLarge,
               message("the filter has ", bytes, " bytes, and the limit is ", limits.max_bytes)};
}

Result<std::uint64_t> wanted_blocks(const SizingRequest& sizing) {
  if (sizing.blocks) {
    if (*sizing.blocks == 0 || *sizing.blocks > kMostBlocks)
      return Error{ErrorCode::kInvalidArgument,
                   message("a Parquet filter has 1 to ", kMostBlocks, " blocks of 32 bytes, and ",
                           *sizing.blocks, " were asked for")};
    return *sizing.blocks;
  }
  if (!sizing.keys || !sizing.rate)
    return Error{ErrorCode::kInvalidArgument,
                 "a Parquet filter is sized by its number of keys and its false-positive rate, or "
                 "by a number of blocks: give one of them"};
  return parquet_blocks_for({*sizing.keys, *sizing.rate});
}

void put_header(ByteWriter& writer, std::uint64_t filter_bytes) {
  writer.le(std::uint8_t{0x15});          // field 1, i32
  std::uint64_t rest = filter_bytes * 2;  // zigzag of a positive number
  for (; rest >= 0x80; rest >>= 7) writer.le(static_cast<std::uint8_t>(rest | 0x80));
  writer.le(static_cast<std::uint8_t>(rest));
  for (int field = 2; field <= 4; ++field)  // a struct, in it field 1 an empty struct
    writer.be(std::uint32_t{0x1c1c0000});
  writer.le(std::uint8_t{0});
}

}  // namespace

bool ParquetFilter::insert(ByteView key) { return filter_.insert(xxh64(key)); }
bool ParquetFilter::may_contain(ByteView key) const { return filter_.may_contain(xxh64(key)); }

std::size_t ParquetFilter::insert_batch(std::span<const ByteView> keys,
                                        std::span<std::uint8_t> is_new) {
  std::size_t added = 0;
  in_hashed_groups(keys, [&](std::size_t at, std::span<const std::uint64_t> hashes) {
    added += filter_.insert_batch(hashes, is_new.subspan(at, hashes.size()));
  });
  return added;
}

std::size_t ParquetFilter::insert_batch(std::span<const ByteView> keys) {
  std::array<std::uint8_t, kHashedKeys> is_new;
  std::size_t added = 0;
  in_hashed_groups(keys, [&](std::size_t, std::span<const std::uint64_t> hashes) {
    added += filter_.insert_batch(hashes, std::span{is_new}.first(hashes.size()));
  });
  return added;
}

void ParquetFilter::may_contain_batch(std::span<const ByteView> keys,
                                      std::span<std::uint8_t> answers) const {
  in_hashed_groups(keys, [&](std::size_t at, std::span<const std::uint64_t> hashes) {
    filter_.may_contain_batch(hashes, answers.subspan(at, hashes.size()));
  });
}

Result<ParquetFilter> ParquetFilter::fold(std::uint64_t factor) const {
  auto folded = filter_.fold(factor);
  if (!folded) return folded.error();
  return ParquetFilter{std::move(*folded)};
}

Result<std::uint64_t> parquet_blocks_for(Goal goal) {
  if (auto valid = checked(goal); !valid) return valid.error();
  const double bits = -8.0 * static_cast<double>(goal.keys) /
                      std::log(1 - std::pow(goal.false_positive_rate, 1.0 / 8));
  // For a tiny rate the logarithm is 0, and the quotient minus infinity.
  if (!(bits > 0 && bits <= static_cast<double>(ParquetFilter::kMostBytes * 8)))
    return Error{ErrorCode::kTooLarge,
                 message("a Parquet filter has at most 128 MiB, and ", goal.keys,
                         " keys at a rate of ", goal.false_positive_rate, " need more")};
  const auto whole =
      std::max<std::uint64_t>(split_block::kBlockBits, static_cast<std::uint64_t>(bits));
  return std::bit_ceil(whole) / split_block::kBlockBits;
}

Result<ParquetHeader> read_parquet_header(ByteView bytes) {
  ThriftReader reader{bytes};
  const RawHeader header = raw_header(reader);
  if (reader.failed()) return reader.error("the header of a Parquet filter");
  if (!header.filter_bytes ||
      !std::ranges::all_of(header.known, [](auto k) { return k.has_value(); }))
    return Error{ErrorCode::kMalformed,
                 "the header of a Parquet filter lacks its size, algorithm, hash or compression"};
  constexpr std::string_view kParts[] = {"algorithm", "hash", "compression"};
  for (std::size_t i = 0; i < 3; ++i)
    if (!*header.known[i])
      return Error{ErrorCode::kUnsupported,
                   message("the Parquet filter has another ", kParts[i],
                           " than split-block, XXH64 and none: it is to be ignored")};
  const std::int64_t size = *header.filter_bytes;
  if (size < 32 || size > static_cast<std::int64_t>(ParquetFilter::kMostBytes) || size % 32 != 0)
    return Error{ErrorCode::kMalformed,
                 message("a Parquet filter has a multiple of 32 bytes up to 128 MiB, and this one "
                         "says ",
                         size)};
  return ParquetHeader{static_cast<std::uint64_t>(size), reader.position()};
}

Result<ParquetFilter> decode_parquet_prefix(ByteView bytes, DecodeLimits limits) {
  const auto header = read_parquet_header(bytes);
  if (!header) return header.error();
  ByteReader reader{bytes.subspan(header->header_bytes)};
  const ByteView bits = reader.take(header->filter_bytes);
  if (reader.failed()) return reader.truncated("the bits of a Parquet filter");
  if (auto fits = check_limit(header->filter_bytes, limits); !fits) return fits.error();
  SplitBlockFilter filter{header->filter_bytes / split_block::kBlockBytes};
  std::ranges::copy(bits, filter.bytes().begin());
  filter.set_provenance({.goal = std::nullopt, .keys_inserted = std::nullopt});
  return ParquetFilter{std::move(filter)};
}

bool looks_like_parquet(ByteView bytes) {
  return !bytes.empty() && bytes[0] == std::byte{0x15} && read_parquet_header(bytes).has_value();
}

Result<ParquetFilter> decode_parquet(ByteView bytes, const DecodeOptions& options) {
  if (is_deprecated_form(bytes))
    return Error{ErrorCode::kUnsupported,
                 "this is a Parquet filter in the form that was given up before the format was "
                 "settled (Murmur3, twelve bytes of header), which we do not read"};
  const auto header = read_parquet_header(bytes);
  if (!header) return header.error();
  if (bytes.size() - header->header_bytes > header->filter_bytes)
    return Error{ErrorCode::kMalformed,
                 message("the Parquet filter says ", header->filter_bytes, " bytes, and ",
                         bytes.size() - header->header_bytes, " follow its header")};
  return decode_parquet_prefix(bytes, options.limits);
}

std::vector<std::byte> encode_parquet(const ParquetFilter& filter) {
  ByteWriter writer;
  writer.reserve(filter.size_bytes() + 20);
  put_header(writer, filter.size_bytes());
  writer.put(filter.bytes());
  return writer.take();
}

Result<ParquetFilter> create_parquet(const CreateOptions& options) {
  const auto blocks = wanted_blocks(options.sizing);
  if (!blocks) return blocks.error();
  if (auto fits = check_limit(*blocks * split_block::kBlockBytes, options.limits); !fits)
    return fits.error();
  ParquetFilter filter{SplitBlockFilter{*blocks}};
  if (options.sizing.keys && options.sizing.rate)
    if (auto goal = checked(Goal{*options.sizing.keys, *options.sizing.rate}))
      filter.set_provenance({.goal = *goal, .keys_inserted = 0});
  return filter;
}

Description describe(const ParquetFilter& filter) {
  Description description;
  description.format = "parquet";
  description.layout = "split-block";
  description.dialect = ParquetFilter::kDialect;
  description.bits = filter.size_bits();
  description.probes = split_block::kWordsPerBlock;
  description.bytes = filter.size_bytes();
  description.keys_inserted = filter.provenance().keys_inserted;
  description.goal = filter.provenance().goal;
  description.health = filter.health();
  if (!std::has_single_bit(filter.blocks()))
    description.notes.push_back(message("its ", filter.blocks(),
                                        " blocks are no power of two: Parquet allows it, but Arrow "
                                        "C++ does not read such a filter"));
  return description;
}

}  // namespace bloomery
