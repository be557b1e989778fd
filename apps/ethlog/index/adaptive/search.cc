#include "apps/ethlog/index/adaptive/search.h"

#include <algorithm>

#include "apps/ethlog/index/adaptive/columns_check.h"
#include "apps/ethlog/index/adaptive/match.h"
#include "apps/ethlog/index/adaptive/postings.h"
#include "apps/ethlog/index/adaptive/records.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/index/bloombits/read_meter.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

Error section_gone(std::uint64_t section) {
  return {ErrorCode::kIo, message("section ", section,
                                  " of the adaptive index is no longer there: the chain was "
                                  "reorganised meanwhile; search again")};
}

class AdaptiveSearch {
 public:
  AdaptiveSearch(const ChainReader& reader, std::uint64_t section_size, MatchMode mode,
                 std::shared_ptr<SearchThreads> threads)
      : reader_{reader}, section_size_{section_size}, mode_{mode}, threads_{std::move(threads)} {}

  Result<std::optional<BlockRange>> covered(const BlockRange& range) const {
    std::optional<BlockRange> found;
    std::optional<Error> failure;
    for_each_section(range.first, range.last, section_size_, [&](const SectionRange& part) {
      const auto meta = valid_section_metadata(reader_, section_size_, part.section);
      if (!meta) failure = meta.error();
      if (!meta) return false;
      if (!*meta) return !found.has_value();
      if (!found) found = BlockRange{part.first, part.last};
      found->last = part.last;
      return true;
    });
    if (failure) return *failure;
    return found;
  }

  Status candidates(const LogQuery& query, const BlockRange& range,
                    const CandidateSource::Visit& visit, const std::stop_token& stop,
                    IndexCost& cost) const {
    const AdaptivePlan plan{query};
    const AnswerSection answer = [&](const SectionRange& part) -> Result<SectionAnswer> {
      const auto meta = metadata_of(part.section);
      if (!meta) return meta.error();
      return match_section(reader_.store(), *meta, plan, part);
    };
    const OnAnswer receive = [&](const SectionAnswer& answered) {
      cost += answered.cost;
      return std::ranges::all_of(answered.blocks, visit);
    };
    if (mode_ == MatchMode::kThreads) return in_threads(range, answer, receive, stop, cost);
    std::optional<BlockRange> slow;
    const Status searched = mode_ == MatchMode::kDirect
                                ? answer_in_turn(range, section_size_, answer, receive, stop)
                                : until_slow(range, answer, receive, stop, slow);
    return searched && slow ? in_threads(*slow, answer, receive, stop, cost) : searched;
  }

  Result<SectionMetadata> metadata_of(std::uint64_t section) const {
    auto meta = valid_section_metadata(reader_, section_size_, section);
    if (!meta) return meta.error();
    if (!*meta) return section_gone(section);
    return std::move(**meta);
  }
  std::uint64_t section_size() const { return section_size_; }
  const KeyValueStore& store() const { return reader_.store(); }

 private:
  // Ends where reads turn out to wait for a disk; `slow` is what is left to search then.
  Status until_slow(const BlockRange& range, const AnswerSection& answer, const OnAnswer& receive,
                    const std::stop_token& stop, std::optional<BlockRange>& slow) const {
    ReadMeter meter;
    std::uint64_t next = range.first / section_size_;
    const std::uint64_t last = range.last / section_size_;
    const AnswerSection measured = [&](const SectionRange& part) {
      const auto start = ReadMeter::Clock::now();
      auto answered = answer(part);
      if (answered) meter.add(ReadMeter::Clock::now() - start, answered->cost.vectors);
      next = part.section + 1;
      return answered;
    };
    const OnAnswer until = [&](const SectionAnswer& answered) {
      if (!receive(answered)) return false;
      if (!meter.waits_for_disk() || next + SearchThreads::kLeastSections > last + 1) return true;
      slow = BlockRange{next * section_size_, range.last};
      return false;
    };
    return answer_in_turn(range, section_size_, measured, until, stop);
  }

  Status in_threads(const BlockRange& range, const AnswerSection& answer, const OnAnswer& receive,
                    const std::stop_token& stop, IndexCost& cost) const {
    const SearchThreads::Lease lease = threads_->lease();
    return answer_ahead(range, section_size_, lease.threads(), answer, receive, stop,
                        cost.sections_threaded);
  }

  const ChainReader& reader_;
  std::uint64_t section_size_;
  MatchMode mode_;
  std::shared_ptr<SearchThreads> threads_;
};

// What a search asks, copied: the plan views the query.
struct Asked {
  explicit Asked(const LogQuery& asked) : query{asked}, plan{query}, check{query} {
    for (const QueryClause& clause : plan.clauses) keys += clause.size();
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  LogQuery query;
  AdaptivePlan plan;
  ColumnsCheck check;
  std::size_t keys = 0;  // of all clauses
};

// The checks of one search. Candidates come section by section: what was read of the last one is
// kept, and the postings of a key answer for all its candidates.
class Checker {
 public:
  Checker(std::shared_ptr<const AdaptiveSearch> search, const LogQuery& query)
      : search_{std::move(search)}, asked_{std::make_shared<const Asked>(query)} {}

  Result<bool> operator()(std::uint64_t block, IndexCost& cost) {
    const std::uint64_t section = block / search_->section_size();
    if (!meta_ || meta_->section != section) {
      auto meta = search_->metadata_of(section);
      if (!meta) return meta.error();
      meta_ = std::move(*meta);
      having_.clear();
      seen_ = 0;
    }
    if (!pays_postings()) return by_columns(block, cost);
    const auto place = static_cast<std::size_t>(block % search_->section_size());
    for (std::size_t clause = 0; clause < asked_->plan.clauses.size(); ++clause) {
      if (clause == having_.size())
        if (Status s = read_postings(asked_->plan.clauses[clause], cost); !s) return s.error();
      if ((having_[clause][place / 8] >> place % 8 & std::byte{1}) == std::byte{0}) return false;
    }
    // Where the topics stand is known of the first one only, and only with its address.
    return asked_->plan.decides() ? Result<bool>{true} : by_columns(block, cost);
  }

 private:
  // Postings are one read a key, columns one a candidate: thousands of keys are never worth it,
  // several only once a section has had as many candidates.
  bool pays_postings() {
    return meta_->posting_buckets > 0 && asked_->keys > 0 && ++seen_ >= asked_->keys;
  }

  // Of the blocks with a key of the clause.
  Status read_postings(const QueryClause& clause, IndexCost& cost) {
    std::vector<std::byte> blocks((meta_->section_size + 7) / 8);
    const SectionSalt salt = salt_of(meta_->head);
    for (const QueryKey& key : clause) {
      const KeyDigest digest = key.digest(salt);
      const std::uint32_t bucket = posting_bucket(digest, meta_->posting_buckets);
      const auto record = search_->store().get(postings_key(meta_->section, meta_->head, bucket));
      if (!record) return record.error();
      if (!*record)
        return Error{ErrorCode::kIo,
                     message("postings of section ", meta_->section,
                             " of the adaptive index are missing: it is damaged; repair it with "
                             "bloomery eth verify --repair")};
      cost.bytes += (*record)->size();
      if (Status s = find_postings(*meta_, bytes_of(**record), digest, blocks); !s) return s;
    }
    having_.push_back(std::move(blocks));
    return ok();
  }

  Result<bool> by_columns(std::uint64_t block, IndexCost& cost) const {
    const ColumnsCheck& check = asked_->check;
    const auto keys_record = read(key_column_key(meta_->section, meta_->head, block), cost);
    if (!keys_record) return keys_record.error();
    if (!*keys_record) return by_parts(block, cost);
    const auto keys = KeyColumn::decode(bytes_of(**keys_record), block);
    if (!keys) return keys.error();
    if (!check.may_match(*keys)) return false;
    if (!check.needs_logs()) return true;
    const auto logs_record = read(log_column_key(meta_->section, meta_->head, block), cost);
    if (!logs_record) return logs_record.error();
    if (!*logs_record) return missing(block);
    const auto logs = LogColumn::decode(bytes_of(**logs_record), block);
    if (!logs) return logs.error();
    return check.matches(*keys, *logs);
  }

  // A block whose columns are large has them in parts, and nothing else.
  Result<bool> by_parts(std::uint64_t block, IndexCost& cost) const {
    const auto columns = PartedColumns::open(block, [&](std::uint32_t part) -> Result<std::string> {
      auto record = read(part_key(meta_->section, meta_->head, block, part), cost);
      if (!record) return record.error();
      if (!*record) return missing(block);
      return std::move(**record);
    });
    if (!columns) return columns.error();
    return asked_->check.matches(*columns);
  }

  static Error missing(std::uint64_t block) {
    return {ErrorCode::kIo, message("the columns of block ", block,
                                    " are missing: the index is damaged; repair it with "
                                    "bloomery eth verify --repair")};
  }

  Result<std::optional<std::string>> read(const std::string& key, IndexCost& cost) const {
    auto record = search_->store().get(key);
    if (record && *record) cost.bytes += (*record)->size();
    return record;
  }

  std::shared_ptr<const AdaptiveSearch> search_;
  std::shared_ptr<const Asked> asked_;
  std::optional<SectionMetadata> meta_;         // of the last section
  std::size_t seen_ = 0;                        // candidates of it
  std::vector<std::vector<std::byte>> having_;  // blocks of it, by clause, as far as they were read
};

}  // namespace

Result<CandidateSource> adaptive_source(const ChainReader& reader, MatchMode mode,
                                        std::shared_ptr<SearchThreads> threads) {
  const auto size = section_size_of(reader);
  if (!size) return size.error();
  if (threads == nullptr) threads = std::make_shared<SearchThreads>(reader);
  const auto search =
      std::make_shared<const AdaptiveSearch>(reader, *size, mode, std::move(threads));
  CandidateSource source = source_over("adaptive", search);
  source.checker = [search](const LogQuery& query) -> CandidateSource::Check {
    return Checker{search, query};
  };
  return source;
}

}  // namespace bloomery::ethlog
