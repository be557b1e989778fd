#include "apps/ethlog/index/bloombits/direct_match.h"

#include <algorithm>
#include <cstring>

#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/model/block_numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {
namespace {

// Rows lie far apart, and which come next no CPU can guess: all are under way before the first is
// used.
void fetch_ahead(ByteView vector) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < vector.size(); at += kLine) __builtin_prefetch(vector.data() + at);
}

}  // namespace

DirectMatcher::DirectMatcher(std::uint64_t section_size, std::vector<BitClause> clauses)
    : section_size_{section_size} {
  for (BitClause& clause : clauses) {
    if (clause.size() == 1)
      required_.push_back(clause[0]);
    else if (!clause.empty())
      choices_.push_back(std::move(clause));
  }
  std::ranges::stable_sort(choices_, {}, &BitClause::size);
}

Status DirectMatcher::find_rows(std::span<const KeyBits> keys, std::uint64_t section,
                                const VectorSource& source, Rows& rows) const {
  rows.clear();
  for (const KeyBits& key : keys)
    for (const std::uint32_t bit : key) {
      const ByteView vector = source(bit, section);
      if (vector.size() != section_size_ / 8)
        return wrong_vector(bit, section, vector.size(), section_size_);
      fetch_ahead(vector);
      rows.push_back(vector.data());
    }
  return ok();
}

Result<bool> DirectMatcher::match_section(std::uint64_t section, const VectorSource& source,
                                          ByteSpan bits, Rows& rows) const {
  const simd::BitMatrixKernels& kernels = simd::active_bit_matrix_kernels();
  if (required_.empty()) {
    std::memset(bits.data(), 0xff, bits.size());
  } else {
    if (auto found = find_rows(required_, section, source, rows); !found) return found.error();
    if (!kernels.and_rows(rows.data(), rows.size(), bits.data(), bits.size())) return false;
  }
  for (const BitClause& clause : choices_) {
    if (auto found = find_rows(clause, section, source, rows); !found) return found.error();
    if (!kernels.keep_any(rows.data(), clause.size(), kProbes, bits.data(), bits.size()))
      return false;
  }
  return true;
}

Result<bool> DirectMatcher::match_section(std::uint64_t section, const VectorSource& source,
                                          ByteSpan bits) const {
  Rows rows;
  return match_section(section, source, bits, rows);
}

Status DirectMatcher::match(std::uint64_t begin, std::uint64_t end, const VectorSource& source,
                            const BlockSink& sink, const std::stop_token& stop) const {
  if (auto valid = checked_section_size(section_size_); !valid) return valid;
  std::vector<std::byte> bits(static_cast<std::size_t>(section_size_ / 8));
  Rows rows;
  std::vector<std::uint64_t> blocks;
  Status outcome = ok();
  for_each_section(begin, end, section_size_, [&](const SectionRange& part) {
    if (stop.stop_requested()) return false;
    const auto any = match_section(part.section, source, bits, rows);
    if (!any) outcome = any.error();
    if (!any || !*any) return any.has_value();
    blocks.clear();
    append_blocks(bits, part.start, part.first, part.last, blocks);
    return blocks.empty() || sink(blocks);
  });
  return outcome;
}

Status DirectMatcher::match(std::uint64_t begin, std::uint64_t end, const VectorSource& source,
                            std::vector<std::uint64_t>& blocks, const std::stop_token& stop) const {
  const BlockSink append = [&blocks](std::span<const std::uint64_t> more) {
    blocks.insert(blocks.end(), more.begin(), more.end());
    return true;
  };
  return match(begin, end, source, append, stop);
}

}  // namespace bloomery::ethlog
