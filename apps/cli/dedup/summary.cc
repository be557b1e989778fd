#include "apps/cli/dedup/summary.h"

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

std::string wrongly_sentence(const DedupSummary& summary) {
  if (summary.suspects)
    return message(" (none wrongly: ", format_count(*summary.suspects), " suspects, ",
                   format_count(summary.records - summary.kept), " confirmed)");
  if (summary.repeated)
    return message(" (about ", rounded_expectation(summary.fingerprints_wrong), " ",
                   summary.counts ? "counted" : "dropped",
                   " wrongly: ", counted(*summary.repeated, "repeated key"),
                   " in a table of fingerprints)");
  if (!summary.filter.health) return "";
  // Then no estimate holds any more.
  if (summary.filter.health->verdict == Verdict::kSaturated)
    return " (many perhaps wrongly, because the filter is saturated)";
  return message(" (about ", rounded_expectation(*expected_wrongly(summary)), " wrongly",
                 summary.against_is_known ? ")" : ", besides those of --against)");
}

}  // namespace

std::optional<double> expected_wrongly(const DedupSummary& summary) {
  if (summary.suspects) return 0;
  if (summary.repeated) return summary.fingerprints_wrong;
  if (!summary.filter.health || summary.filter.health->verdict == Verdict::kSaturated)
    return std::nullopt;
  const auto kept = static_cast<double>((summary.kept - summary.kept_earlier) -
                                        (summary.skipped - summary.skipped_earlier));
  return summary.wrong_earlier + expected_collisions(kept, summary.before, summary.filter) +
         kept * summary.against_rate / (1 - summary.against_rate);
}

std::string dedup_json(const DedupSummary& summary, std::uint64_t selected) {
  const std::uint64_t dropped = summary.records - selected;
  Summary all{summary.records, selected, summary.seconds, summary.filter, summary.skipped};
  all.dropped = dropped;
  all.malformed = summary.malformed;
  all.has_expected_wrong_drops = true;
  // An unmeasured filter of --against makes the sum unknown.
  if (summary.against_is_known) all.expected_wrong_drops = expected_wrongly(summary);
  all.suspects = summary.suspects;
  all.repeated_keys = summary.repeated;
  return summary_json(all);
}

std::string dedup_sentence(const DedupSummary& summary) {
  const double per_second =
      summary.seconds > 0 ? static_cast<double>(summary.records) / summary.seconds : 0;
  std::string sentence =
      message(counted(summary.records, "record"), " in ", format_seconds(summary.seconds), " (",
              format_speed(per_second), "): ", format_count(summary.kept), " kept, ",
              format_count(summary.records - summary.kept), " dropped as repeats",
              wrongly_sentence(summary));
  if (summary.skipped > 0)
    sentence += message("; ", format_count(summary.skipped), " of the kept have no key");
  if (summary.malformed.value_or(0) > 0)
    sentence +=
        "; " + malformed_sentence(*summary.malformed,
                                  summary.keeps_malformed ? "printed as they are" : "left out");
  if (!summary.filter.health) return sentence;
  return sentence + message("; fill ", format_probability(summary.filter.health->fill),
                            ", false positives ",
                            format_probability(summary.filter.health->error_rate));
}

}  // namespace bloomery::cli
