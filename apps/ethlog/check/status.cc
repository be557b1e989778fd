#include "apps/ethlog/check/status.h"

#include <cmath>

#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/search.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/model/block_numbers.h"
#include "apps/ethlog/model/clauses.h"
#include "apps/ethlog/store/chain_census.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kMostSampled = 8;

// Adds what the vectors of one section say of each of its blocks.
Status sample_section(const ChainReader& reader, std::uint64_t size, std::uint64_t section,
                      std::uint64_t& bytes, double& rates) {
  const auto head = reader.section_head(section);
  if (!head) return head.error();
  std::vector<std::uint32_t> ones(static_cast<std::size_t>(size));
  std::vector<std::uint64_t> blocks;
  for (std::uint16_t bit = 0; bit < Generator::kVectors; ++bit) {
    const auto stored = reader.bloom_vector(bit, section, head->value_or(Hash{}));
    if (!stored) return stored.error();
    const std::string& vector = stored->value_or(std::string{});
    bytes += vector.size();
    auto bits = decompress_vector(bytes_of(vector), static_cast<std::size_t>(size / 8));
    if (!bits) return bits.error();
    blocks.clear();
    append_blocks(*bits, 0, 0, size - 1, blocks);
    for (const std::uint64_t block : blocks) ones[static_cast<std::size_t>(block)] += 1;
  }
  for (const std::uint32_t set : ones)
    rates += std::pow(static_cast<double>(set) / Generator::kVectors, static_cast<double>(kProbes));
  return ok();
}

Status sample_bloombits(const ChainReader& reader, const std::vector<std::uint64_t>& sections,
                        ChainStatus& status) {
  if (sections.empty()) return ok();
  const std::uint64_t sampled = std::min<std::uint64_t>(kMostSampled, sections.size());
  std::uint64_t bytes = 0;
  double rates = 0;
  for (std::uint64_t i = 0; i < sampled; ++i)
    if (Status s = sample_section(reader, status.section_size,
                                  sections[i * sections.size() / sampled], bytes, rates);
        !s)
      return s;
  const auto blocks = static_cast<double>(sampled * status.section_size);
  status.bloombits = {sampled, static_cast<double>(bytes) / blocks, rates / blocks};
  return ok();
}

Status add_index(const ChainReader& reader, ChainStatus& status) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  status.section_size = *size;
  if (!status.head) return ok();
  const auto source = bloombits_source(reader);
  if (!source) return source.error();
  BlockRange rest{0, *status.head};
  std::vector<std::uint64_t> sections;
  for (;;) {
    const auto covered = source->covered(rest);
    if (!covered) return covered.error();
    if (!*covered) return sample_bloombits(reader, sections, status);
    for (std::uint64_t at = (*covered)->first; at < (*covered)->last; at += *size)
      sections.push_back(at / *size);
    const std::uint64_t blocks = (*covered)->last - (*covered)->first + 1;
    status.indexed_blocks += blocks;
    if ((*covered)->first == 0) status.sections = blocks / *size;
    if ((*covered)->last >= rest.last) return sample_bloombits(reader, sections, status);
    rest.first = (*covered)->last + 1;
  }
}

}  // namespace

namespace {

Status add_blocks(const ChainFolder& chain, ChainStatus& status) {
  const auto census = count_blocks(chain.reader());
  if (!census) return census.error();
  status.gaps = census->gaps;
  status.lost = chain.reader().lost();
  status.lost.insert(status.lost.end(), census->lost.begin(), census->lost.end());
  status.lost = merged_ranges(std::move(status.lost));
  const ChainStore* own = chain.own();
  if (own == nullptr) return ok();
  status.counts = StoreCounts{.blocks = census->blocks,
                              .unverified = census->unverified,
                              .gaps = census->missing,
                              .lowest = census->lowest};
  status.counters_wrong = own->counts().blocks != census->blocks;
  const auto id = own->chain_id();
  if (!id) return id.error();
  status.chain_id = *id;
  return ok();
}

}  // namespace

Result<ChainStatus> status_of(const ChainFolder& chain) {
  const ChainReader& reader = chain.reader();
  ChainStatus status;
  status.geth = chain.is_geth();
  const auto head = reader.head();
  if (!head) return head.error();
  status.head = *head;
  if (*head) {
    const auto hash = reader.canonical_hash(**head);
    if (!hash) return hash.error();
    status.head_hash = *hash;
  }
  const auto lowest = reader.lowest();
  if (!lowest) return lowest.error();
  status.lowest = *lowest;
  if (Status s = add_blocks(chain, status); !s) return s.error();
  if (reader.freezer() != nullptr) status.frozen_blocks = reader.freezer()->end();
  if (Status s = add_index(reader, status); !s) return s.error();
  const auto adaptive = adaptive_status(reader, status.section_size);
  if (!adaptive) return adaptive.error();
  status.adaptive = *adaptive;
  return status;
}

}  // namespace bloomery::ethlog
