#include "apps/ethlog/check/search_cost.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/ethlog/index/adaptive/search.h"
#include "apps/ethlog/index/bloombits/search.h"
#include "apps/ethlog/search/log_search.h"
#include "bloomery/base/endian.h"
#include "bloomery/filter/health.h"
#include "bloomery/hash/xxh.h"

namespace bloomery::ethlog {
namespace {

using CostClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLongestSample{500};  // of one part

enum class CostKind : std::uint8_t { kAdaptive, kBloombits, kHeaders };
constexpr std::string_view kNames[] = {"adaptive", "bloombits", "header blooms"};
// A window of an index lies within one section; of header blooms it is any so many blocks.
constexpr std::uint64_t kMostWindows[] = {32, 8, 8};

struct CostSegment {
  CostKind kind;
  BlockRange range;
};

// No contract has it: 160 bits that a hash gave.
Address absent_address_for(std::uint64_t i) {
  Address address;
  const Hash128 first = xxh3_128({}, 2 * i + 77);
  store_le(address.bytes.data(), first.low);
  store_le(address.bytes.data() + 8, first.high);
  store_le(address.bytes.data() + 16, static_cast<std::uint32_t>(xxh3_64({}, 2 * i + 78)));
  return address;
}

class CostSample {
 public:
  CostSample(const ChainReader& reader, const ChainStatus& status)
      : reader_{reader}, status_{status} {}

  Status open() {
    auto adaptive = adaptive_source(reader_, MatchMode::kDirect);
    if (!adaptive) return adaptive.error();
    auto bloombits = bloombits_source(reader_, MatchMode::kDirect);
    if (!bloombits) return bloombits.error();
    adaptive_ = std::move(*adaptive);
    bloombits_ = std::move(*bloombits);
    return ok();
  }

  // All numbers from the lowest block to the head, by what a search would use.
  Result<std::vector<CostSegment>> segments() const {
    std::vector<CostSegment> all;
    for (std::uint64_t at = status_.lowest.value_or(0); at <= *status_.head;) {
      const auto better = adaptive_.covered({at, *status_.head});
      if (!better) return better.error();
      std::uint64_t last = *better ? (*better)->first : *status_.head;
      if (*better && (*better)->first == at) {
        last = (*better)->last;
        all.push_back({CostKind::kAdaptive, {at, last}});
      } else {
        if (*better) last -= 1;
        const auto other = bloombits_.covered({at, last});
        if (!other) return other.error();
        const bool covered = *other && (*other)->first == at;
        if (*other) last = covered ? (*other)->last : (*other)->first - 1;
        all.push_back({covered ? CostKind::kBloombits : CostKind::kHeaders, {at, last}});
      }
      at = last + 1;
    }
    return all;
  }

  // The costs of one kind, scaled from windows spread over its segments.
  Status measure(CostKind kind, const std::vector<CostSegment>& segments,
                 SearchEstimatePart& part) {
    const std::vector<BlockRange> windows = windows_of(kind, segments);
    const std::uint64_t most = kMostWindows[static_cast<std::size_t>(kind)];
    const std::uint64_t wanted = std::min<std::uint64_t>(most, windows.size());
    const auto deadline = CostClock::now() + kLongestSample;
    for (std::uint64_t i = 0; i < wanted && (i == 0 || CostClock::now() < deadline); ++i) {
      const BlockRange& window = windows[static_cast<std::size_t>(i * windows.size() / wanted)];
      if (Status s = measure_window(kind, window, i, part); !s) return s;
    }
    return ok();
  }

 private:
  std::vector<BlockRange> windows_of(CostKind kind,
                                     const std::vector<CostSegment>& segments) const {
    // Of the blooms a part of a section is enough, because candidates are decoded.
    const std::uint64_t step = kind == CostKind::kAdaptive
                                   ? status_.section_size
                                   : std::min<std::uint64_t>(256, status_.section_size);
    std::vector<BlockRange> windows;
    for (const CostSegment& segment : segments)
      for (std::uint64_t at = segment.range.first; segment.kind == kind && at <= segment.range.last;
           at += step)
        windows.push_back({at, std::min(at + step - 1, segment.range.last)});
    return windows;
  }

  Status measure_window(CostKind kind, const BlockRange& window, std::uint64_t i,
                        SearchEstimatePart& part) {
    LogQuery query;
    query.from = BlockBound{BlockTag::kNumber, window.first};
    query.to = BlockBound{BlockTag::kNumber, window.last};
    query.addresses = {absent_address_for(i)};
    std::vector<CandidateSource> sources;
    if (kind != CostKind::kHeaders)
      sources.push_back(kind == CostKind::kAdaptive ? adaptive_ : bloombits_);
    const LogSearch search{reader_, std::move(sources)};
    QueryReport report;
    double milliseconds = 0;
    for (int round = 0; round < 2; ++round) {  // the second one reads from memory
      const auto start = CostClock::now();
      auto done = search.run(query, {.missing = MissingBlocks::kSkipped},
                             [](const FoundLog&) { return true; });
      if (!done) return done.error();
      milliseconds = std::chrono::duration<double, std::milli>(CostClock::now() - start).count();
      report = std::move(*done);
    }
    const std::uint64_t blocks = window.last - window.first + 1;
    part.sampled_blocks += blocks - std::min(blocks, report.missing_blocks);
    part.milliseconds += milliseconds;
    part.decoded += static_cast<double>(report.blocks_read);
    part.bytes += static_cast<double>(report.index.bytes);
    if (kind == CostKind::kHeaders) return add_headers(window, part);
    return ok();
  }

  // What the blooms of headers say of a key, and the bytes that it takes to read them.
  Status add_headers(const BlockRange& window, SearchEstimatePart& part) const {
    for (std::uint64_t number = window.first; number <= window.last; ++number) {
      const auto header = reader_.header(number);
      if (!header) return header.error();
      if (!*header) continue;
      const double fill = static_cast<double>(count_ones((*header)->bloom.view())) / 2048;
      part.candidates += fill * fill * fill;
      part.bytes += static_cast<double>(std::max((*header)->rlp.size(), Bloom::kSize));
    }
    return ok();
  }

  const ChainReader& reader_;
  const ChainStatus& status_;
  CandidateSource adaptive_;
  CandidateSource bloombits_;
};

std::uint64_t missing_within(const std::vector<BlockRange>& gaps, const BlockRange& range) {
  std::uint64_t missing = 0;
  for (const BlockRange& gap : gaps) {
    const std::uint64_t first = std::max(gap.first, range.first);
    const std::uint64_t last = std::min(gap.last, range.last);
    if (first <= last) missing += last - first + 1;
  }
  return missing;
}

void scale_part(const ChainStatus& status, CostKind kind, SearchEstimatePart& part) {
  if (part.sampled_blocks == 0) return;
  const auto blocks = static_cast<double>(part.blocks);
  const double factor = blocks / static_cast<double>(part.sampled_blocks);
  for (double* value : {&part.candidates, &part.decoded, &part.bytes, &part.milliseconds})
    *value *= factor;
  // The rates of whole indexes are better known than those of the windows.
  if (kind == CostKind::kAdaptive && status.adaptive)
    part.candidates = status.adaptive->rate * blocks;
  if (kind == CostKind::kBloombits && status.bloombits)
    part.candidates = status.bloombits->rate * blocks;
  if (kind != CostKind::kAdaptive) part.decoded = part.candidates;
}

}  // namespace

SearchEstimatePart SearchEstimate::total() const {
  SearchEstimatePart all;
  for (const SearchEstimatePart& part : parts) {
    all.blocks += part.blocks;
    all.sampled_blocks += part.sampled_blocks;
    all.candidates += part.candidates;
    all.decoded += part.decoded;
    all.bytes += part.bytes;
    all.milliseconds += part.milliseconds;
  }
  return all;
}

SearchEstimate estimate_search_cost(const ChainReader& reader, const ChainStatus& status) {
  SearchEstimate cost;
  if (!status.head) return cost;
  CostSample sample{reader, status};
  const Status opened = sample.open();
  const auto segments =
      opened ? sample.segments() : Result<std::vector<CostSegment>>{opened.error()};
  if (!segments) {
    cost.problem = segments.error().message;
    return cost;
  }
  for (const CostKind kind : {CostKind::kAdaptive, CostKind::kBloombits, CostKind::kHeaders}) {
    SearchEstimatePart part{.by = kNames[static_cast<std::size_t>(kind)]};
    for (const CostSegment& segment : *segments)
      if (segment.kind == kind)
        part.blocks += segment.range.last - segment.range.first + 1 -
                       missing_within(status.gaps, segment.range);
    if (part.blocks == 0) continue;
    // What cannot be searched has a cost that is not known, and a status all the same.
    if (const Status measured = sample.measure(kind, *segments, part); !measured) {
      cost.problem = measured.error().message;
      part = {.by = part.by, .blocks = part.blocks};
    }
    scale_part(status, kind, part);
    cost.parts.push_back(part);
  }
  return cost;
}

}  // namespace bloomery::ethlog
