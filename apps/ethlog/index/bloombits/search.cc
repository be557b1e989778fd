#include "apps/ethlog/index/bloombits/search.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "apps/ethlog/index/bloombits/direct_match.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/matcher.h"
#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/index/bloombits/vector_compression.h"
#include "apps/ethlog/model/block_numbers.h"
#include "apps/ethlog/model/log_match.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

// The stored vectors of a database; safe for many threads.
class StoredVectors {
 public:
  StoredVectors(const ChainReader& reader, std::uint64_t section_size)
      : reader_{reader}, section_size_{section_size} {}

  Result<std::vector<std::byte>> vector(std::uint32_t bit, std::uint64_t section) {
    const auto head = reader_.canonical_hash((section + 1) * section_size_ - 1);
    if (!head) return head.error();
    const auto stored =
        reader_.bloom_vector(static_cast<std::uint16_t>(bit), section, head->value_or(Hash{}));
    if (!stored) return stored.error();
    if (!*stored) return missing(bit, section);
    vectors_ += 1;
    bytes_ += (*stored)->size();
    auto vector = decompress_vector(std::as_bytes(std::span{(*stored)->data(), (*stored)->size()}),
                                    static_cast<std::size_t>(section_size_ / 8));
    if (!vector)
      return Error{ErrorCode::kMalformed, message("The vector of bit ", bit, " in section ",
                                                  section, " is broken: ", vector.error().message,
                                                  "; the index must be built again.")};
    return vector;
  }
  std::uint64_t vectors() const { return vectors_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static Error missing(std::uint32_t bit, std::uint64_t section) {
    return {ErrorCode::kIo,
            message("The vector of bit ", bit, " in section ", section,
                    " is not in the database: the chain was reorganised meanwhile, or the index is "
                    "damaged and must be built again.")};
  }
  const ChainReader& reader_;
  std::uint64_t section_size_;
  std::atomic<std::uint64_t> vectors_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

class BloombitsSearch {
 public:
  BloombitsSearch(const ChainReader& reader, std::uint64_t section_size, MatchWay way)
      : reader_{reader}, section_size_{section_size}, way_{way} {}

  Result<std::optional<BlockRange>> covered(const BlockRange& range) const {
    const auto counted = unbroken_sections();
    if (!counted) return counted.error();
    const std::uint64_t last_section = range.last / section_size_;
    std::uint64_t section = range.first / section_size_;
    std::optional<BlockRange> found;
    for (; section <= last_section; ++section) {
      const auto valid = section < *counted ? Result<bool>{true}
                                            : is_section_valid(reader_, section_size_, section);
      if (!valid) return valid.error();
      if (!*valid && found) break;
      if (!*valid) continue;
      const SectionRange part = range_in_section(section, range.first, range.last, section_size_);
      if (!found) found = BlockRange{part.first, part.last};
      found->last = part.last;
    }
    return found;
  }

  Status candidates(const LogQuery& query, const BlockRange& range,
                    const CandidateSource::Visit& visit, const std::stop_token& stop,
                    SourceWork& work) const {
    StoredVectors vectors{reader_, section_size_};
    const std::vector<BitClause> clauses = bit_clauses(clauses_of(query));
    work.sections += range.last / section_size_ - range.first / section_size_ + 1;
    Status outcome = way_ == MatchWay::kDirect ? directly(clauses, range, visit, stop, vectors)
                                               : in_threads(clauses, range, visit, stop, vectors);
    work.vectors += vectors.vectors();
    work.bytes += vectors.bytes();
    return outcome;
  }

 private:
  // The count as written, less what a reorganisation left behind (geth writes both apart).
  Result<std::uint64_t> unbroken_sections() const {
    auto count = reader_.section_count();
    while (count && *count > 0) {
      const auto valid = is_section_valid(reader_, section_size_, *count - 1);
      if (!valid) return valid.error();
      if (*valid) break;
      *count -= 1;
    }
    return count;
  }

  Status directly(const std::vector<BitClause>& clauses, const BlockRange& range,
                  const CandidateSource::Visit& visit, const std::stop_token& stop,
                  StoredVectors& vectors) const {
    const DirectMatcher matcher{section_size_, clauses};
    std::map<std::uint32_t, std::vector<std::byte>> fetched;  // of one section
    std::optional<Error> failure;
    const VectorSource source = [&](std::uint32_t bit, std::uint64_t section) -> ByteView {
      const auto [at, fresh] = fetched.try_emplace(bit);
      if (!fresh) return at->second;
      auto vector = vectors.vector(bit, section);
      if (vector)
        at->second = std::move(*vector);
      else
        failure = vector.error();
      return at->second;
    };
    std::vector<std::byte> bits(static_cast<std::size_t>(section_size_ / 8));
    std::vector<std::uint64_t> blocks;
    Status outcome = ok();
    for_each_section(range.first, range.last, section_size_, [&](const SectionRange& part) {
      if (stop.stop_requested()) return false;
      fetched.clear();
      const auto any = matcher.match_section(part.section, source, bits);
      if (!any) outcome = failure ? *failure : any.error();
      if (!any) return false;
      blocks.clear();
      if (*any) append_blocks(bits, part.start, part.first, part.last, blocks);
      return std::ranges::all_of(blocks, visit);
    });
    return outcome;
  }

  Status in_threads(const std::vector<BitClause>& clauses, const BlockRange& range,
                    const CandidateSource::Visit& visit, const std::stop_token& stop,
                    StoredVectors& vectors) const {
    const FetchVectors fetch =
        [&](const VectorRequest& request) -> Result<std::vector<std::vector<std::byte>>> {
      std::vector<std::vector<std::byte>> fetched;
      for (const std::uint64_t section : request.sections) {
        auto vector = vectors.vector(request.bit, section);
        if (!vector) return vector.error();
        fetched.push_back(std::move(*vector));
      }
      return fetched;
    };
    Matcher matcher{section_size_, clauses};
    auto session = matcher.start(range.first, range.last, fetch, {}, stop);
    if (!session && session.error().code == ErrorCode::kTooLarge)  // no threads
      return directly(clauses, range, visit, stop, vectors);
    if (!session) return session.error();
    while (const auto block = (*session)->next())
      if (!visit(*block)) return ok();
    if (const auto error = (*session)->error()) return *error;
    return ok();
  }

  const ChainReader& reader_;
  std::uint64_t section_size_;
  MatchWay way_;
};

}  // namespace

Result<CandidateSource> bloombits_source(const ChainReader& reader, MatchWay way) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  const auto search = std::make_shared<const BloombitsSearch>(reader, *size, way);
  CandidateSource source;
  source.name = "bloombits";
  source.covered = [search](const BlockRange& range) { return search->covered(range); };
  source.candidates = [search](const LogQuery& query, const BlockRange& range,
                               const CandidateSource::Visit& visit, const std::stop_token& stop,
                               SourceWork& work) {
    return search->candidates(query, range, visit, stop, work);
  };
  return source;
}

}  // namespace bloomery::ethlog
