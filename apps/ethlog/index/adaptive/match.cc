#include "apps/ethlog/index/adaptive/match.h"

#include <map>

#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/model/block_numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/filter/health.h"
#include "bloomery/simd/bit_matrix_kernels.h"

namespace bloomery::ethlog {
namespace {

// The rows of one section, each chunk read once.
class Rows {
 public:
  Rows(const KeyValueStore& store, const SectionMetadata& meta, IndexCost& cost)
      : store_{store}, meta_{meta}, cost_{cost} {}

  Result<const std::byte*> row(std::uint32_t number) {
    const std::uint32_t chunk = number / meta_.rows_per_chunk;
    const auto [at, fresh] = chunks_.try_emplace(chunk);
    if (fresh)
      if (Status s = read(chunk, at->second); !s) return s.error();
    const std::size_t in_chunk = number % meta_.rows_per_chunk;
    return at->second.rows.data() + in_chunk * (meta_.section_size / 8);
  }

 private:
  struct Chunk {
    std::string record;
    ByteView rows;
  };
  Status read(std::uint32_t number, Chunk& chunk) {
    auto record = store_.get(adaptive_chunk_key(meta_, number));
    if (!record) return record.error();
    if (!*record)
      return Error{
          ErrorCode::kIo,
          message("rows of section ", meta_.section,
                  " of the adaptive index are missing: it was made anew meanwhile, or it "
                  "is damaged; search again, or repair it with bloomery eth verify --repair")};
    chunk.record = std::move(**record);
    const auto rows = decode_chunk(meta_, bytes_of(chunk.record), number);
    if (!rows) return rows.error();
    chunk.rows = *rows;
    cost_.vectors += 1;
    cost_.bytes += chunk.record.size();
    return ok();
  }

  const KeyValueStore& store_;
  const SectionMetadata& meta_;
  IndexCost& cost_;
  std::map<std::uint32_t, Chunk> chunks_;  // a node stays where it is
};

std::vector<std::byte> bits_of(const SectionRange& part, std::uint32_t section_size) {
  std::vector<std::byte> bits(section_size / 8);
  const auto first = static_cast<std::size_t>(part.first - part.start);
  const auto last = static_cast<std::size_t>(part.last - part.start);
  std::memset(bits.data() + first / 8, 0xff, last / 8 - first / 8 + 1);
  bits[first / 8] &= std::byte{0xff} >> (first % 8);
  bits[last / 8] &= std::byte{0xff} << (7 - last % 8);
  return bits;
}

// Whether any block is left.
Result<bool> keep_clause(const SectionMetadata& meta, const QueryClause& clause, Rows& rows,
                         ByteSpan bits) {
  const Modulus modulus{meta.rows};
  const SectionSalt salt = salt_of(meta.head);
  std::vector<const std::byte*> wanted;
  wanted.reserve(clause.size() * meta.probes);
  for (const QueryKey& key : clause) {
    const KeyDigest digest = key.digest(salt);
    for (std::uint32_t i = 0; i < meta.probes; ++i) {
      const auto row = rows.row(key_row(digest, i, modulus));
      if (!row) return row.error();
      wanted.push_back(*row);
    }
  }
  return simd::active_bit_matrix_kernels().keep_any(wanted.data(), clause.size(), meta.probes,
                                                    bits.data(), bits.size());
}

// Of the blocks that are left those with a log of enough topics: exactly, and so in place of
// clauses where there are none.
Result<bool> keep_topic_count(const SectionMetadata& meta, std::size_t topics, Rows& rows,
                              ByteSpan bits) {
  const auto row = rows.row(meta.rows + static_cast<std::uint32_t>(topics));
  if (!row) return row.error();
  return simd::active_bit_matrix_kernels().keep_any(&*row, 1, 1, bits.data(), bits.size());
}

}  // namespace

Result<std::uint64_t> count_candidates(const KeyValueStore& store, const SectionMetadata& meta,
                                       const QueryKey& key) {
  if (meta.rows == 0) return std::uint64_t{0};
  IndexCost cost;
  Rows rows{store, meta, cost};
  std::vector<std::byte> bits(meta.section_size / 8, std::byte{0xff});
  const auto any = keep_clause(meta, {key}, rows, bits);
  if (!any) return any.error();
  return count_ones(bits);
}

Result<SectionAnswer> match_section(const KeyValueStore& store, const SectionMetadata& meta,
                                    const AdaptivePlan& plan, const SectionRange& part) {
  SectionAnswer answer;
  answer.cost.sections = 1;
  if (plan.topics > TopicList::kMost) return answer;
  if (meta.rows == 0 && !plan.clauses.empty()) return answer;  // no block has a key
  Rows rows{store, meta, answer.cost};
  std::vector<std::byte> bits = bits_of(part, meta.section_size);
  Result<bool> any = true;
  bool counted = false;
  for (const QueryClause& clause : plan.clauses) {
    if (!is_worth_reading(meta, clause.size(), count_ones(bits))) {
      answer.cost.clauses_skipped += 1;
      continue;
    }
    any = keep_clause(meta, clause, rows, bits);
    if (!any) return any.error();
    if (!*any) return answer;
    counted = true;
  }
  if (!counted) any = keep_topic_count(meta, plan.topics, rows, bits);
  if (!any) return any.error();
  if (*any) append_blocks(bits, part.start, part.first, part.last, answer.blocks);
  return answer;
}

}  // namespace bloomery::ethlog
