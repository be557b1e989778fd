// How a section of the adaptive index is written down: its facts, and its rows in chunks.
#include <algorithm>
#include <cmath>

#include "apps/ethlog/index/adaptive/section.h"
#include "apps/ethlog/index/bloombits/generator.h"
#include "bloomery/base/byte_reader.h"
#include "bloomery/base/byte_writer.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint32_t kMagic = 0x53414c42;  // "BLAS"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kChunkBytes = 512;  // a row of a section of 4096 blocks

Error malformed(std::string_view why) {
  return {ErrorCode::kMalformed, message("The record of a section of the adaptive index ", why,
                                         ": verify the index, and let it be repaired.")};
}

bool is_rate(double rate) { return rate >= 0 && rate <= 1; }

bool is_sound(const SectionFacts& facts) {
  const std::uint64_t size = facts.section_size;
  if (size == 0 || size % 8 != 0 || size > Generator::kMostBlocks) return false;
  if (facts.rows > AdaptiveSectionBuilder::kMostBytes / (size / 8)) return false;
  if (facts.rows > 0 && (facts.probes == 0 || facts.probes > kMaxProbes)) return false;
  return facts.rows_per_chunk == rows_per_chunk(size) && is_rate(facts.goal) && is_rate(facts.rate);
}

}  // namespace

std::uint32_t rows_per_chunk(std::uint64_t section_size) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kChunkBytes / (section_size / 8)));
}

std::string encode_facts(const SectionFacts& facts) {
  ByteWriter out;
  out.le(kMagic);
  out.le(kVersion);
  out.le(facts.section);
  out.put(facts.head.view());
  out.le(facts.section_size);
  out.le(facts.rows);
  out.le(facts.probes);
  out.le(facts.rows_per_chunk);
  out.le(facts.goal);
  out.le(facts.rate);
  out.le(facts.keys);
  out.le(facts.most_keys);
  out.le(facts.row_bytes);
  out.le(facts.column_bytes);
  std::vector<std::byte> bytes = out.take();
  const std::uint64_t checksum = xxh3_64(bytes);
  bytes.resize(bytes.size() + kChecksumBytes);
  store_le(bytes.data() + bytes.size() - kChecksumBytes, checksum);
  return std::string{text_of(bytes)};
}

Result<SectionFacts> decode_facts(ByteView record) {
  ByteReader in{record};
  if (in.le<std::uint32_t>() != kMagic) return malformed("does not begin as one does");
  if (const auto version = in.le<std::uint32_t>(); !in.failed() && version != kVersion)
    return Error{ErrorCode::kUnsupported,
                 message("A section of the adaptive index has version ", version,
                         ", but this program reads ", kVersion, ": a newer one wrote it.")};
  SectionFacts facts;
  facts.section = in.le<std::uint64_t>();
  if (const ByteView head = in.take(Hash::kSize); !in.failed()) facts.head = Hash::from_bytes(head);
  facts.section_size = in.le<std::uint32_t>();
  facts.rows = in.le<std::uint32_t>();
  facts.probes = in.le<std::uint32_t>();
  facts.rows_per_chunk = in.le<std::uint32_t>();
  facts.goal = in.le<double>();
  facts.rate = in.le<double>();
  facts.keys = in.le<std::uint64_t>();
  facts.most_keys = in.le<std::uint32_t>();
  facts.row_bytes = in.le<std::uint64_t>();
  facts.column_bytes = in.le<std::uint64_t>();
  const std::size_t summed = in.position();
  const auto checksum = in.le<std::uint64_t>();
  if (in.failed() || in.remaining() > 0) return malformed("does not have its length");
  if (checksum != xxh3_64(record.first(summed))) return malformed("is damaged");
  if (!is_sound(facts)) return malformed("contradicts itself");
  return facts;
}

std::string encode_chunk(ByteView rows, std::uint32_t chunk) {
  std::string record(kChecksumBytes + rows.size(), '\0');
  const std::uint64_t checksum = xxh3_64(rows, chunk);
  std::memcpy(record.data(), &checksum, sizeof checksum);
  std::memcpy(record.data() + kChecksumBytes, rows.data(), rows.size());
  return record;
}

Result<ByteView> decode_chunk(const SectionFacts& facts, ByteView record, std::uint32_t chunk) {
  const std::uint64_t first = std::uint64_t{chunk} * facts.rows_per_chunk;
  const std::uint64_t past =
      std::min<std::uint64_t>(first + facts.rows_per_chunk, facts.all_rows());
  const bool has_length =
      first < past && record.size() == kChecksumBytes + (past - first) * (facts.section_size / 8);
  if (has_length &&
      load_le<std::uint64_t>(record.data()) == xxh3_64(record.subspan(kChecksumBytes), chunk))
    return record.subspan(kChecksumBytes);
  return Error{ErrorCode::kMalformed,
               message("Rows from ", first, " on of section ", facts.section,
                       " of the adaptive index are damaged: verify it, and let it be repaired.")};
}

}  // namespace bloomery::ethlog
