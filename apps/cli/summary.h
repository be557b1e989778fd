// What a command did with its records: for people on stderr, for scripts as JSON on stdout.
#pragma once
#include <string>

#include "apps/cli/globals.h"
#include "bloomery/formats/description.h"

namespace bloomery::cli {

struct Summary {
  std::uint64_t records = 0;
  std::uint64_t selected = 0;
  double seconds = 0;
  Description filter;  // as it is now
};

// Of `kept` keys that were new to a filter, how many more were new and yet taken for old: the error
// rate, summed over the filter as it filled from fill_before to what it is now.
double expected_wrongly_dropped(double kept, double fill_before, const Health& now);

// records, selected, dropped, seconds, records_per_second, bytes, fill, estimated_fpr.
std::string summary_json(const Summary& summary);
// "1000 records in 0.10 s (10.0 k/s): 990 kept, 10 dropped ..."; what is expected to be wrongly
// dropped where fill_before is given: the filter itself said which keys it had seen.
std::string insertion_sentence(const Summary& summary, std::optional<double> fill_before);
// "9586 bits, 7 probes, 1.2 KiB".
std::string shape_sentence(const Description& filter);

}  // namespace bloomery::cli
