#include "apps/ethlog/index/bloombits/search.h"

#include <algorithm>
#include <map>

#include "apps/ethlog/index/bloombits/direct_match.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/matcher_session.h"
#include "apps/ethlog/index/bloombits/read_meter.h"
#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/model/block_numbers.h"
#include "apps/ethlog/model/log_match.h"

namespace bloomery::ethlog {
namespace {

// The vectors of one section, each read once, in the calling thread.
class SectionVectors {
 public:
  SectionVectors(const ChainReader& reader, std::uint64_t section_size, IndexCost& cost)
      : reader_{reader}, section_size_{section_size}, cost_{cost} {}

  // Empty after a failure. The view lives until the next section is asked for.
  ByteView vector(std::uint32_t bit, std::uint64_t section) {
    const auto start = ReadMeter::Clock::now();
    if (!id_ || id_->number != section) {
      vectors_.clear();
      id_.reset();
      const auto head = read_section_head(reader_, section_size_, section);
      if (!head) return fail(head.error());
      id_ = SectionId{section, *head};
    }
    const auto [at, fresh] = vectors_.try_emplace(bit);
    if (!fresh) return at->second;
    auto read = read_vector(reader_, section_size_, bit, *id_);
    meter_.add(ReadMeter::Clock::now() - start, 1);
    if (!read) return fail(read.error());
    cost_.vectors += 1;
    cost_.bytes += read->stored_bytes;
    at->second = std::move(read->bits);
    return at->second;
  }
  const std::optional<Error>& failure() const { return failure_; }
  bool waits_for_disk() const { return meter_.waits_for_disk(); }
  bool is_costly() const { return meter_.is_costly(); }

 private:
  ByteView fail(Error error) {
    failure_ = std::move(error);
    return {};
  }
  const ChainReader& reader_;
  std::uint64_t section_size_;
  IndexCost& cost_;
  ReadMeter meter_;
  std::optional<SectionId> id_;
  std::map<std::uint32_t, std::vector<std::byte>> vectors_;
  std::optional<Error> failure_;
};

class BloombitsSearch {
 public:
  BloombitsSearch(const ChainReader& reader, std::uint64_t section_size, MatchMode mode,
                  std::shared_ptr<SearchThreads> threads)
      : reader_{reader}, section_size_{section_size}, mode_{mode}, threads_{std::move(threads)} {}

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
                    IndexCost& cost) const {
    const std::vector<BitClause> clauses = bit_clauses(clauses_of(query));
    cost.sections += sections_of(range);
    if (mode_ == MatchMode::kDirect) return directly(clauses, range, visit, stop, cost);
    if (mode_ == MatchMode::kThreads) return in_threads(clauses, range, visit, stop, cost);
    const SearchThreads::Interest interest{*threads_, clauses};
    std::optional<BlockRange> rest;
    const Status searched = directly(clauses, range, visit, stop, cost, &interest, &rest);
    return searched && rest ? in_threads(clauses, *rest, visit, stop, cost) : searched;
  }

 private:
  std::uint64_t sections_of(const BlockRange& range) const {
    return range.last / section_size_ - range.first / section_size_ + 1;
  }

  // The stored count, less the sections that a reorganisation invalidated (geth writes the count
  // and the sections separately).
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

  // With an interest, ends where threads pay: reads turn out to wait for a disk that few searches
  // use, or many searches read the same vectors. Then `rest` is what is left to search.
  Status directly(const std::vector<BitClause>& clauses, const BlockRange& range,
                  const CandidateSource::Visit& visit, const std::stop_token& stop, IndexCost& cost,
                  const SearchThreads::Interest* interest = nullptr,
                  std::optional<BlockRange>* rest = nullptr) const {
    const DirectMatcher matcher{section_size_, clauses};
    SectionVectors vectors{reader_, section_size_, cost};
    const VectorSource source = [&](std::uint32_t bit, std::uint64_t section) {
      return vectors.vector(bit, section);
    };
    std::vector<std::byte> bits(static_cast<std::size_t>(section_size_ / 8));
    std::vector<std::uint64_t> blocks;
    Status outcome = ok();
    for_each_section(range.first, range.last, section_size_, [&](const SectionRange& part) {
      if (stop.stop_requested()) return false;
      if (interest != nullptr &&
          sections_of({part.first, range.last}) >= SearchThreads::kLeastSections &&
          ((vectors.waits_for_disk() && interest->are_few()) ||
           (vectors.is_costly() && interest->is_shared_by_many()))) {
        *rest = BlockRange{part.first, range.last};
        return false;
      }
      const auto any = matcher.match_section(part.section, source, bits);
      if (!any) outcome = vectors.failure() ? *vectors.failure() : any.error();
      if (!any) return false;
      blocks.clear();
      if (*any) append_blocks(bits, part.start, part.first, part.last, blocks);
      return std::ranges::all_of(blocks, visit);
    });
    return outcome;
  }

  Status in_threads(const std::vector<BitClause>& clauses, const BlockRange& range,
                    const CandidateSource::Visit& visit, const std::stop_token& stop,
                    IndexCost& cost) const {
    const std::shared_ptr<VectorFetcher> fetcher = threads_->fetcher(section_size_);
    if (fetcher == nullptr) return directly(clauses, range, visit, stop, cost);
    const SectionHead head = [this](std::uint64_t section) {
      return read_section_head(reader_, section_size_, section);
    };
    MatcherSession session{*fetcher, section_size_, clauses, range.first, range.last, head, stop};
    bool wanted = true;
    while (wanted) {
      const auto blocks = session.next_section();
      if (!blocks) break;
      wanted = std::ranges::all_of(*blocks, visit);
    }
    cost.sections_threaded += sections_of(range);
    cost.vectors += session.cost().vectors;
    cost.vectors_shared += session.cost().shared;
    cost.bytes += session.cost().bytes;
    if (session.error()) return *session.error();
    return ok();
  }

  const ChainReader& reader_;
  std::uint64_t section_size_;
  MatchMode mode_;
  std::shared_ptr<SearchThreads> threads_;
};

}  // namespace

Result<CandidateSource> bloombits_source(const ChainReader& reader, MatchMode mode,
                                         std::shared_ptr<SearchThreads> threads) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  if (threads == nullptr) threads = std::make_shared<SearchThreads>(reader);
  const auto search =
      std::make_shared<const BloombitsSearch>(reader, *size, mode, std::move(threads));
  return source_over("bloombits", search);
}

}  // namespace bloomery::ethlog
