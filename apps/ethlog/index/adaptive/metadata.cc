// How a section of the adaptive index is written down: its meta, and its rows in chunks.
#include <algorithm>
#include <cmath>

#include "apps/ethlog/index/adaptive/postings.h"
#include "apps/ethlog/index/bloombits/generator.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint32_t kMagic = 0x53414c42;  // "BLAS"
constexpr std::uint32_t kWithoutPostings = 1;
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kChunkBytes = 512;  // a row of a section of 4096 blocks

Error malformed(std::string_view why) {
  return {ErrorCode::kMalformed, message("the record of a section of the adaptive index ", why,
                                         "; repair the index with bloomery eth verify --repair")};
}

bool is_rate(double rate) { return rate >= 0 && rate <= 1; }

bool is_sound(const SectionMetadata& meta) {
  const std::uint64_t size = meta.section_size;
  if (size == 0 || size % 8 != 0 || size > Generator::kMostBlocks) return false;
  if (meta.rows > AdaptiveSectionBuilder::kMostBytes / (size / 8)) return false;
  if (meta.rows > 0 && (meta.probes == 0 || meta.probes > kMaxProbes)) return false;
  if (meta.posting_buckets != 0 && meta.posting_buckets != posting_buckets(meta.keys)) return false;
  return meta.rows_per_chunk == rows_per_chunk(size) && is_rate(meta.goal) && is_rate(meta.rate);
}

}  // namespace

std::uint32_t rows_per_chunk(std::uint64_t section_size) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kChunkBytes / (section_size / 8)));
}

std::string encode_metadata(const SectionMetadata& meta) {
  ByteWriter out;
  out.le(kMagic);
  out.le(meta.posting_buckets == 0 ? kWithoutPostings : kVersion);
  out.le(meta.section);
  out.put(meta.head.view());
  out.le(meta.section_size);
  out.le(meta.rows);
  out.le(meta.probes);
  out.le(meta.rows_per_chunk);
  out.le(meta.goal);
  out.le(meta.rate);
  out.le(meta.keys);
  out.le(meta.most_keys);
  out.le(meta.row_bytes);
  out.le(meta.column_bytes);
  if (meta.posting_buckets != 0) out.le(meta.posting_buckets);
  std::vector<std::byte> bytes = out.take();
  const std::uint64_t checksum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kChecksumBytes);
  store_le(bytes.data() + bytes.size() - kChecksumBytes, checksum);
  return std::string{text_of(bytes)};
}

Result<SectionMetadata> decode_metadata(ByteView record) {
  ByteReader in{record};
  if (in.le<std::uint32_t>() != kMagic) return malformed("does not begin as one does");
  const auto version = in.le<std::uint32_t>();
  if (!in.failed() && version != kVersion && version != kWithoutPostings)
    return Error{ErrorCode::kUnsupported,
                 message("a section of the adaptive index has version ", version,
                         ", but this program reads ", kVersion, "; upgrade bloomery")};
  SectionMetadata meta;
  meta.section = in.le<std::uint64_t>();
  if (const ByteView head = in.take(Hash::kSize); !in.failed()) meta.head = Hash::from_bytes(head);
  meta.section_size = in.le<std::uint32_t>();
  meta.rows = in.le<std::uint32_t>();
  meta.probes = in.le<std::uint32_t>();
  meta.rows_per_chunk = in.le<std::uint32_t>();
  meta.goal = in.le<double>();
  meta.rate = in.le<double>();
  meta.keys = in.le<std::uint64_t>();
  meta.most_keys = in.le<std::uint32_t>();
  meta.row_bytes = in.le<std::uint64_t>();
  meta.column_bytes = in.le<std::uint64_t>();
  if (version == kVersion) meta.posting_buckets = in.le<std::uint32_t>();
  const std::size_t summed = in.position();
  const auto checksum = in.le<std::uint64_t>();
  if (in.failed() || in.remaining() > 0) return malformed("does not have its length");
  if (checksum != xxh3_64(record.first(summed))) return malformed("is damaged");
  if (!is_sound(meta) || (version == kVersion && meta.posting_buckets == 0))
    return malformed("contradicts itself");
  return meta;
}

std::string encode_chunk(ByteView rows, std::uint32_t chunk) {
  std::string record(kChecksumBytes + rows.size(), '\0');
  const std::uint64_t checksum = xxh3_64(rows, chunk);
  std::memcpy(record.data(), &checksum, sizeof checksum);
  std::memcpy(record.data() + kChecksumBytes, rows.data(), rows.size());
  return record;
}

Result<ByteView> decode_chunk(const SectionMetadata& meta, ByteView record, std::uint32_t chunk) {
  const std::uint64_t first = std::uint64_t{chunk} * meta.rows_per_chunk;
  const std::uint64_t past = std::min<std::uint64_t>(first + meta.rows_per_chunk, meta.all_rows());
  const bool has_length =
      first < past && record.size() == kChecksumBytes + (past - first) * (meta.section_size / 8);
  if (has_length &&
      load_le<std::uint64_t>(record.data()) == xxh3_64(record.subspan(kChecksumBytes), chunk))
    return record.subspan(kChecksumBytes);
  return Error{
      ErrorCode::kMalformed,
      message("rows from ", first, " on of section ", meta.section,
              " of the adaptive index are damaged; repair it with bloomery eth verify --repair")};
}

}  // namespace bloomery::ethlog
