// dedup --explain: what a run would cost, from its plan and a trial on a sample of the input, and
// which option halves each cost. Nothing is written.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/dedup/seen_keys.h"
#include "apps/cli/records/chunk_sequence.h"

namespace bloomery::cli {

// What a run that reads its input again keeps of the repeats, besides the filter.
enum class RepeatsKept : std::uint8_t {
  kNone,    // it reads its input once
  kLast,    // --keep last: a number for each repeated key
  kCounts,  // --count-each: that, and a bit for each record
  kPlaces,  // --exact: the place of the first record of each, and a bit for each record
};

struct ExplainJob {
  const std::vector<InputFile>* inputs = nullptr;
  ChunkSequence::Keys keys;
  SeenKeys* seen = nullptr;  // takes the keys of the sample
  const SeenKeysOptions* options = nullptr;
  RepeatsKept table = RepeatsKept::kNone;
};

struct Change {
  std::string option;  // "-p 0.01%"; empty: there is none
  std::string reason;  // why there is none
  std::optional<std::uint64_t> bytes = {};
  std::optional<double> wrong_drops = {};
  std::optional<double> seconds = {};
};

struct Explanation {
  std::uint64_t records = 0;
  bool records_are_counted = false;
  Description filter;
  std::uint64_t bytes = 0;        // once all keys are in it
  std::uint64_t table_bytes = 0;  // at most, of the table of repeated keys
  std::uint32_t readings = 1;     // how often the run reads the input
  double wrong_drops = 0;
  double seconds = 0;
  double records_per_second = 0;
  std::uint64_t sample_bytes = 0;  // as they lie on disk
  Change half_memory;
  Change half_wrong_drops;
  Change half_time;
};

Result<Explanation> explain_dedup(const ExplainJob& job, const Globals& globals);
std::string explanation_text(const Explanation& explanation, const Globals& globals);
std::string explanation_json(const Explanation& explanation, const Globals& globals);

// How many of `records` new keys would be taken for repeats by this filter, as it is planned. Where
// it grows in layers, by this growth.
double planned_wrong_drops(const Description& filter, double records, const Growth& growth = {});

}  // namespace bloomery::cli
