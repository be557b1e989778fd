// The candidates of one section by the rows of the adaptive index.
#pragma once
#include "apps/ethlog/index/adaptive/plan.h"
#include "apps/ethlog/index/bloombits/candidate_source.h"
#include "apps/ethlog/index/bloombits/section_range.h"
#include "apps/ethlog/kv/kv.h"

namespace bloomery::ethlog {

struct SectionAnswer {
  std::vector<std::uint64_t> blocks;  // ascending
  IndexCost cost;
};

// Reads the rows that the plan needs and no others. A row that is missing or damaged is an error.
Result<SectionAnswer> match_section(const KeyValueStore& store, const SectionMetadata& meta,
                                    const AdaptivePlan& plan, const SectionRange& part);

// How many blocks of the section may have the key: what a rate is measured with.
Result<std::uint64_t> count_candidates(const KeyValueStore& store, const SectionMetadata& meta,
                                       const QueryKey& key);

// Answers for every section that the range touches, in order, until the receiver returns false or
// the search is stopped. answer_ahead has the sections ahead answered by threads meanwhile, and
// counts the sections in `threaded`; where the system starts none, it answers in turn.
using AnswerSection = std::function<Result<SectionAnswer>(const SectionRange&)>;
using OnAnswer = std::function<bool(const SectionAnswer&)>;
Status answer_in_turn(const BlockRange& range, std::uint64_t section_size,
                      const AnswerSection& answer, const OnAnswer& on_answer,
                      const std::stop_token& stop);
Status answer_ahead(const BlockRange& range, std::uint64_t section_size, std::size_t threads,
                    const AnswerSection& answer, const OnAnswer& on_answer,
                    const std::stop_token& stop, std::uint64_t& threaded);

}  // namespace bloomery::ethlog
