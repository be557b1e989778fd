// The summary of a command over records: for people on stderr, for scripts as JSON on stdout.
#pragma once
#include <string>

#include "apps/cli/shell/globals.h"
#include "bloomery/formats/description.h"

namespace bloomery::cli {

struct Summary {
  std::uint64_t records = 0;
  std::uint64_t selected = 0;
  double seconds = 0;
  Description filter;                           // as it is now
  std::uint64_t skipped = 0;                    // of the records: without a key
  std::optional<std::uint64_t> dropped = {};    // empty: what is neither selected nor skipped
  std::optional<std::uint64_t> malformed = {};  // rows of CSV, besides the records

  // Of the dropped, how many were expected to be new: a member of dedup's JSON only.
  bool has_expected_wrong_drops = false;
  std::optional<double> expected_wrong_drops = {};
  // Likewise: what --exact compared, and what --keep last and --count-each noted.
  std::optional<std::uint64_t> suspects = {};
  std::optional<std::uint64_t> repeated_keys = {};

  std::uint64_t left_out() const { return dropped.value_or(records - selected - skipped); }
};

// "3 records without a key were skipped".
std::string skipped_sentence(std::uint64_t skipped);
// "3 malformed rows were left out".
std::string malformed_sentence(std::uint64_t malformed, std::string_view fate = "left out");
// On stderr, after an error: that the filter's file is what it was before, or is not there.
void report_not_saved(const std::string& path, const Globals& globals);

// Of `kept` keys that were new to a filter with one array of bits, how many more were new and yet
// taken for old: the error rate, summed over the filter as it filled from fill_before to what it is
// now. `others` is the rate of the filters that are queried before it.
double expected_wrongly_dropped(double kept, double fill_before, const Health& now,
                                double others = 0);
// The same for any filter as it was before and is now. Of a filter that grows in layers each key
// was asked from the layers that there were at its time, and entered one of them.
double expected_collisions(double kept, const Description& before, const Description& now);
// "14", or "0.8" where that says more.
std::string rounded_expectation(double expected);

// records, selected, dropped, seconds, records_per_second, bytes, fill, estimated_fpr, skipped; of
// CSV, malformed.
std::string summary_json(const Summary& summary);
// "100,000 records added in 0.10 s (1.00 M/s); 16 were already present or collided (about 14
// collisions expected); fill 50 %, false positives 0.1 %". The expectation needs the filter as it
// was before, and is left out where the filter did not say itself which keys it had seen.
std::string insertion_sentence(const Summary& summary, const std::optional<Description>& before);
// "9586 bits, 7 probes, 1.2 KiB".
std::string shape_sentence(const Description& filter);

}  // namespace bloomery::cli
