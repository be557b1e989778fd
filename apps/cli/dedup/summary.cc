#include "apps/cli/dedup/summary.h"

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string wrongly_sentence(const DedupSummary& summary) {
  if (summary.suspects)
    return message(" (none wrongly: ", format_count(*summary.suspects), " suspects, ",
                   format_count(summary.records - summary.kept), " confirmed)");
  if (!summary.filter.health) return "";
  // Then no estimate holds any more.
  if (summary.filter.health->verdict == Verdict::kSaturated)
    return " (many perhaps wrongly, because the filter is saturated)";
  const auto kept = static_cast<double>(summary.kept - summary.skipped);
  const double wrongly = expected_collisions(kept, summary.before, summary.filter) +
                         kept * summary.against_rate / (1 - summary.against_rate);
  return message(" (about ", rounded_expectation(wrongly), " wrongly",
                 summary.against_is_known ? ")" : ", besides those of --against)");
}

}  // namespace

std::string dedup_json(const DedupSummary& summary, std::uint64_t selected) {
  const std::uint64_t dropped = summary.records - selected;
  Summary all{summary.records, selected, summary.seconds, summary.filter, summary.skipped};
  all.dropped = dropped;
  return summary_json(all);
}

std::string dedup_sentence(const DedupSummary& summary) {
  const double per_second =
      summary.seconds > 0 ? static_cast<double>(summary.records) / summary.seconds : 0;
  std::string sentence =
      message(format_count(summary.records), " records in ", format_seconds(summary.seconds), " (",
              format_speed(per_second), "): ", format_count(summary.kept), " kept, ",
              format_count(summary.records - summary.kept), " dropped as repeats",
              wrongly_sentence(summary));
  if (summary.skipped > 0)
    sentence += message("; ", format_count(summary.skipped), " of the kept have no key");
  if (!summary.filter.health) return sentence;
  return sentence + message("; fill ", format_probability(summary.filter.health->fill),
                            ", false positives ",
                            format_probability(summary.filter.health->error_rate));
}

}  // namespace bloomery::cli
