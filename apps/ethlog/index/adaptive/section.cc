#include "apps/ethlog/index/adaptive/section.h"

#include <algorithm>
#include <cmath>

#include "apps/ethlog/index/adaptive/postings.h"
#include "apps/ethlog/index/adaptive/shape.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/health.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {
namespace {

// The formula's rate is that of the mean filter, a little below the mean of the rates. With this
// much to spare a section is seldom built twice.
constexpr double kSpare = 0.99;
constexpr unsigned kMostBuilds = 64;        // each with a little more than 1 % more rows
constexpr std::size_t kBlocksAtOnce = 512;  // as many as fill a cache line of each row

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

void set_bit(std::byte* bits, std::size_t place) { bits[place / 8] |= std::byte{1} << place % 8; }

}  // namespace

AdaptiveSectionBuilder::AdaptiveSectionBuilder(std::uint64_t section, std::uint64_t section_size,
                                               const Hash& head) {
  meta_.section = section;
  meta_.head = head;
  meta_.section_size = static_cast<std::uint32_t>(section_size);
  meta_.rows_per_chunk = rows_per_chunk(section_size);
}

Status AdaptiveSectionBuilder::add_block(const LogColumns& columns) {
  std::vector<KeyDigest> keys;
  for (const Address& address : columns.addresses) keys.push_back(address_digest(address, salt()));
  for (const Topic& topic : columns.topics) keys.push_back(topic_digest(topic, salt()));
  for (const LogColumns::Pair& pair : columns.pairs())
    keys.push_back(
        pair_digest(columns.addresses[pair.address], columns.topics[pair.topic], salt()));
  return add_block(keys, columns.most_topics());
}

Status AdaptiveSectionBuilder::add_block(std::span<const KeyDigest> keys,
                                         std::optional<std::size_t> most_topics) {
  if (digests_.size() + keys.size() > kMostKeys)
    return Error{ErrorCode::kTooLarge,
                 message("section ", meta_.section, " has more than ", kMostKeys,
                         " keys, too many for the adaptive index; make smaller sections")};
  digests_.insert(digests_.end(), keys.begin(), keys.end());
  keys_.push_back(static_cast<std::uint32_t>(keys.size()));
  topic_counts_.push_back(static_cast<std::uint8_t>(most_topics ? *most_topics + 1 : 0));
  meta_.keys += keys.size();
  meta_.most_keys = std::max(meta_.most_keys, keys_.back());
  return ok();
}

std::uint32_t AdaptiveSectionBuilder::most_rows() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kMostBytes / (meta_.section_size / 8), 1, kMost));
}

AdaptiveSection AdaptiveSectionBuilder::build(double goal) const {
  const Shape shape = adaptive_shape(keys_, kSpare * goal, most_rows());
  auto rows = static_cast<std::uint32_t>(shape.bits);
  AdaptiveSection section = build(goal, rows, shape.probes);
  for (unsigned i = 1; i < kMostBuilds && section.meta.rate > goal && rows < most_rows(); ++i) {
    rows = std::min(rows + rows / 64 + 1, most_rows());
    section = build(goal, rows, shape.probes);
  }
  section.postings = encode_postings(digests_, keys_, meta_.section_size);
  section.meta.posting_buckets = static_cast<std::uint32_t>(section.postings.size());
  for (const std::string& record : section.postings) section.meta.column_bytes += record.size();
  return section;
}

AdaptiveSection AdaptiveSectionBuilder::build(double goal, std::uint32_t rows,
                                              std::uint32_t probes) const {
  AdaptiveSection out{meta_, {}, {}};
  out.meta.rows = rows;
  out.meta.probes = probes;
  out.meta.goal = goal;
  const std::size_t row_bytes = meta_.section_size / 8;
  // The kernel turns whole lanes; the rows beyond stay empty and are not stored.
  const auto column_bytes = static_cast<std::size_t>(
      rounded_up(out.meta.all_rows(), 8 * simd::BitMatrixKernels::kRowBytesMultiple) / 8);
  out.bits = Buffer{8 * column_bytes * row_bytes};
  std::vector<std::byte> waiting(std::min<std::size_t>(kBlocksAtOnce, keys_.size()) * column_bytes);
  const Modulus modulus{rows};
  const KeyDigest* next = digests_.data();
  double rates = 0;
  for (std::size_t block = 0; block < keys_.size(); ++block) {
    const std::size_t slot = block % kBlocksAtOnce;
    if (slot == 0) std::ranges::fill(waiting, std::byte{0});
    std::byte* column = waiting.data() + slot * column_bytes;
    for (std::uint32_t key = 0; key < keys_[block]; ++key, ++next)
      for (std::uint32_t i = 0; i < probes; ++i) set_bit(column, key_row(*next, i, modulus));
    const std::uint64_t ones = count_ones({column, column_bytes});
    if (ones > 0) rates += classic_health({rows, probes}, ones, std::nullopt).error_rate;
    for (std::uint32_t t = 0; t < topic_counts_[block]; ++t) set_bit(column, rows + t);
    if (slot + 1 == kBlocksAtOnce || block + 1 == keys_.size())
      simd::active_bit_matrix_kernels().transpose(waiting.data(), slot + 1, column_bytes,
                                                  out.bits.span().data() + (block - slot) / 8,
                                                  row_bytes);
  }
  out.meta.rate = rates / static_cast<double>(keys_.size());
  out.meta.row_bytes =
      std::uint64_t{out.meta.all_rows()} * row_bytes + out.meta.chunks() * sizeof(std::uint64_t);
  return out;
}

ByteView AdaptiveSection::chunk(std::uint32_t number) const {
  const std::size_t row_bytes = meta.section_size / 8;
  const std::uint64_t first = std::uint64_t{number} * meta.rows_per_chunk;
  const std::uint64_t past = std::min<std::uint64_t>(first + meta.rows_per_chunk, meta.all_rows());
  return bits.view().subspan(first * row_bytes, (past - first) * row_bytes);
}

}  // namespace bloomery::ethlog
