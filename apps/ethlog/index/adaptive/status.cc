#include "apps/ethlog/index/adaptive/status.h"

#include <algorithm>

#include "apps/ethlog/index/adaptive/match.h"
#include "apps/ethlog/index/adaptive/records.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kMostMeasured = 32;  // sections, spread over all
constexpr std::uint64_t kPairs = std::uint64_t{1} << 21;
constexpr std::uint64_t kFewestKeys = 8;
constexpr std::uint64_t kMostKeys = 256;

// No contract has one of these: 160 bits that a hash gave.
Address made_up_address(std::uint64_t section, std::uint64_t i) {
  Address address;
  const Hash128 first = xxh3_128({}, section * kMostKeys + i);
  store_le(address.bytes.data(), first.low);
  store_le(address.bytes.data() + 8, first.high);
  store_le(address.bytes.data() + 16, static_cast<std::uint32_t>(first.low ^ first.high >> 7));
  return address;
}

void add(const SectionMetadata& meta, AdaptiveStatus& status) {
  const bool first = status.sections == 0;
  status.sections += 1;
  status.blocks += meta.section_size;
  status.old_sections += meta.posting_buckets == 0 ? 1 : 0;
  status.least_rows = first ? meta.rows : std::min(status.least_rows, meta.rows);
  status.most_rows = std::max(status.most_rows, meta.rows);
  status.least_probes = first ? meta.probes : std::min(status.least_probes, meta.probes);
  status.most_probes = std::max(status.most_probes, meta.probes);
  status.keys += meta.keys;
  status.row_bytes += meta.row_bytes;
  status.column_bytes += meta.column_bytes;
  status.goal = meta.goal;
  status.rate += meta.rate;  // all sections have as many blocks
  if (first || meta.rate > status.worst_rate) {
    status.worst_rate = meta.rate;
    status.worst_section = meta.section;
  }
}

Status measure(const ChainReader& reader, const std::vector<SectionMetadata>& all,
               AdaptiveStatus& status) {
  const std::uint64_t sections = std::min<std::uint64_t>(kMostMeasured, all.size());
  const std::uint64_t keys =
      std::clamp(kPairs / (sections * all.front().section_size), kFewestKeys, kMostKeys);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < sections; ++i) {
    const SectionMetadata& meta = all[static_cast<std::size_t>(i * all.size() / sections)];
    for (std::uint64_t key = 0; key < keys; ++key) {
      const Address address = made_up_address(meta.section, key);
      const auto candidates = count_candidates(reader.store(), meta, {&address, nullptr});
      if (!candidates) return candidates.error();
      found += *candidates;
      status.measured_pairs += meta.section_size;
    }
  }
  status.measured_rate = static_cast<double>(found) / static_cast<double>(status.measured_pairs);
  return ok();
}

}  // namespace

Result<std::optional<AdaptiveStatus>> adaptive_status(const ChainReader& reader,
                                                      std::uint64_t section_size) {
  const auto recorded = adaptive_sections(reader.store());
  if (!recorded) return recorded.error();
  std::vector<SectionMetadata> valid;
  AdaptiveStatus status;
  for (const std::uint64_t section : *recorded) {
    const auto meta = valid_section_metadata(reader, section_size, section);
    if (!meta) return meta.error();
    if (!*meta) continue;
    add(**meta, status);
    valid.push_back(**meta);
  }
  if (valid.empty()) return std::optional<AdaptiveStatus>{};
  status.rate /= static_cast<double>(status.sections);
  if (Status s = measure(reader, valid, status); !s) return s.error();
  return std::optional{status};
}

}  // namespace bloomery::ethlog
