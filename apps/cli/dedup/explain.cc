#include "apps/cli/dedup/explain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "apps/cli/dedup/output.h"
#include "apps/cli/dedup/ranges.h"
#include "apps/cli/dedup/repeat_table.h"
#include "apps/cli/dedup/suspects.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/block_sizing.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kTrialBytes = std::uint64_t{64} << 20;  // decompressed
constexpr double kTrialSeconds = 0.5;
constexpr double kRarestRate = 1e-15;
constexpr double kHardlyAny = 0.05;  // records that are dropped wrongly

constexpr std::uint64_t kProxyKeys = 1'000'000;
constexpr double kMostFill = 1 - 1e-12;

// A filter once it took `records` new keys.
struct FullFilter {
  double wrong_drops = 0;
  double bytes = 0;
};

// Of `kept` keys that a filter with one array of bits takes, how many more it takes for repeats.
double wrong_beside(const Description& filter, double kept) {
  const double share = static_cast<double>(*filter.probes) / static_cast<double>(*filter.bits);
  const double fill_before = filter.health ? filter.health->fill : 0;
  const double empty = std::max((1 - fill_before) * std::exp(-kept * share), 1 - kMostFill);
  Health full{};
  full.fill = 1 - empty;
  const BlockShape blocks{*filter.bits / block::kBlockBits, *filter.probes};
  if ((filter.layout == "block" || filter.layout == "lines") && checked(blocks)) {
    full.error_rate = expected_rate(blocks, -std::log(empty) / share);
  } else {
    const double goal_fill = 1 - std::exp(-static_cast<double>(filter.goal->keys) * share);
    full.error_rate = filter.goal->false_positive_rate *
                      std::pow(full.fill / goal_fill, static_cast<double>(*filter.probes));
  }
  full.error_rate = std::min(full.error_rate, kMostFill);
  return expected_wrongly_dropped(kept, fill_before, full);
}

FullFilter fill_one(const Description& filter, double records) {
  const auto bytes = static_cast<double>(filter.bytes);
  if (!filter.bits || !filter.probes || filter.goal->keys == 0)
    return {records * filter.goal->false_positive_rate, bytes};
  // What is taken for a repeat does not fill the filter.
  double kept = records;
  double most = records;
  double least = 0;
  for (int step = 0; step < 40 && most - least > 1e-6 * records; ++step) {
    (kept + wrong_beside(filter, kept) > records ? most : least) = kept;
    kept = (least + most) / 2;
  }
  return {wrong_beside(filter, kept), bytes};
}

// The last layer takes as many keys as it was made for, and the next one those behind them.
FullFilter fill_layers(const Description& filter, double records, const Growth& growth) {
  FullFilter end{0, static_cast<double>(filter.bytes)};
  double older = 0;  // the rate of the layers before this one
  for (std::size_t i = 0; i + 1 < filter.layers.size(); ++i)
    older += (1 - older) * filter.layers[i].health.error_rate;
  const LayerDescription& last = filter.layers.back();
  double keys = static_cast<double>(last.goal->keys);
  double rate = last.goal->false_positive_rate;
  double share = static_cast<double>(last.probes) / static_cast<double>(last.bits);
  double probes = last.probes;
  double fill = last.health.fill;
  double room = keys - static_cast<double>(last.keys_inserted.value_or(0));
  for (std::uint32_t layer = 0; records > 0 && layer < growth.max_layers; ++layer) {
    const double added = std::clamp(room, 0.0, records);
    Health full{};
    full.fill = std::min(1 - (1 - fill) * std::exp(-added * share), kMostFill);
    full.error_rate = std::pow(full.fill, probes);
    end.wrong_drops += expected_wrongly_dropped(added, fill, full, older);
    records -= added;
    if (records <= 0) break;
    older += (1 - older) * full.error_rate;
    room = keys *= growth.factor;
    rate *= growth.tightening;
    probes = std::max(1.0, std::round(-std::log2(rate)));
    const double bits = -keys * std::log(rate) / (std::log(2) * std::log(2));
    share = probes / bits;
    fill = 0;
    end.bytes += bits / 8;
  }
  return end;
}

FullFilter fill_up(const Description& filter, double records, const Growth& growth) {
  if (!filter.goal || filter.goal->false_positive_rate <= 0)
    return {0, static_cast<double>(filter.bytes)};
  const bool has_layers = filter.layout == "scalable" && !filter.layers.empty() &&
                          filter.layers.back().goal && filter.layers.back().bits != 0;
  FullFilter end = has_layers ? fill_layers(filter, records, growth) : fill_one(filter, records);
  end.wrong_drops = std::min(end.wrong_drops, records);
  return end;
}

class Explaining {
 public:
  Explaining(const ExplainJob& job, const Globals& globals) : job_{job}, globals_{globals} {}

  Result<Explanation> run() {
    for (const InputFile& input : *job_.inputs)
      if (!input.bytes || input.path == "-")
        return Error{ErrorCode::kInvalidArgument,
                     "--explain reads a sample and leaves the input as it is, so it needs files by "
                     "name; a pipe would be used up"};
    const auto estimate = estimate_records(*job_.inputs, job_.keys.options.ends());
    if (!estimate) return estimate.error();
    all_.records = estimate->records;
    all_.records_are_counted = estimate->exact;
    all_.filter = job_.seen->opened();
    all_.readings = readings();
    const FullFilter end = fill_up(all_.filter, double_records(), growth());
    all_.bytes = static_cast<std::uint64_t>(end.bytes);
    all_.wrong_drops = drops_wrongly() ? end.wrong_drops : 0;
    if (auto done = measure(end.wrong_drops); !done) return done.error();
    suggest_rates();
    return all_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double double_records() const { return static_cast<double>(all_.records); }
  const Growth& growth() const { return job_.options->filter.create.growth; }
  bool drops_wrongly() const { return job_.table == RepeatsKept::kNone; }
  std::uint32_t readings() const {
    return job_.table == RepeatsKept::kNone ? 1 : job_.table == RepeatsKept::kPlaces ? 3 : 2;
  }

  struct Trial {
    double seconds = 0;
    std::uint64_t consumed = 0;
    std::uint64_t bytes = 0;  // decompressed
    std::uint64_t records = 0;
    std::uint64_t repeats = 0;  // of the records, in the filter's judgement
    bool whole = false;         // the sample is all of the input
  };

  // One reading of the sample. `stages_of` makes its stages up to `decide`.
  template <class StagesOf>
  Result<Trial> read_sample(std::uint32_t threads, std::uint64_t most_bytes, double most_seconds,
                            const StagesOf& stages_of) {
    Globals quiet = globals_;
    quiet.quiet = true;
    quiet.progress = When::kNever;
    Progress progress{quiet, std::nullopt};
    ChunkSequence input{files_to_open(*job_.inputs), job_.keys, progress};
    Stages stages = stages_of(input);
    const auto start = Clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    Trial trial;
    stages.fill = [&, fill = stages.fill](Chunk& chunk) -> Result<bool> {
      if (trial.bytes >= most_bytes || (trial.bytes > 0 && seconds() > most_seconds)) return false;
      auto there = fill(chunk);
      trial.whole = there && !*there;
      if (there && *there && !chunk.records.empty())
        trial.bytes += static_cast<std::uint64_t>(
            chunk.records.back().data() + chunk.records.back().size() - chunk.buffer.data());
      return there;
    };
    if (auto done = run_stages(stages, threads); !done) return done.error();
    trial.seconds = seconds();
    trial.consumed = std::max<std::uint64_t>(1, input.consumed());
    trial.records = input.records();
    return trial;
  }

  // The records are found, looked up and arranged as in a run, and not printed.
  Result<Trial> try_sample(std::uint32_t threads, std::uint64_t most_bytes, double most_seconds) {
    const auto arrange = [](Chunk& chunk) -> Status {
      chunk.output = gather_records(chunk, true);
      return ok();
    };
    // Only new filters are read for again, so each trial can begin with an empty one.
    if (!drops_wrongly()) {
      auto empty = job_.seen->format().create(job_.options->filter.create);
      if (!empty) return empty.error();
      job_.seen->filter() = std::move(*empty);
    }
    KeyRanges ranges{*job_.seen, threads};
    RepeatTable table{globals_.memory};
    std::uint64_t repeats = 0;
    auto first = read_sample(threads, most_bytes, most_seconds, [&](ChunkSequence& input) {
      Stages stages = insertion_stages(input, ranges, threads);
      stages.decide = [&](Chunk& chunk) { return note_repeats(chunk, table, repeats); };
      if (drops_wrongly()) stages.arrange = arrange;
      return stages;
    });
    ranges.finish();
    if (!first || drops_wrongly()) return first;
    first->repeats = repeats;
    const auto again = read_sample(threads, first->bytes, 1e9, [&](ChunkSequence& input) {
      Stages stages = fingerprint_stages(input, fingerprint_of);
      stages.decide = [&](Chunk& chunk) {
        chunk.is_new.assign(chunk.records.size(), 0);
        for (std::size_t i = 0; i < chunk.keys.size(); ++i)
          chunk.is_new[i] = table.find(chunk.fingerprints[i]) == nullptr ? 1 : 0;
        return ok();
      };
      stages.arrange = arrange;
      return stages;
    });
    if (!again) return again;
    first->seconds += again->seconds * (all_.readings - 1);
    return first;
  }

  Status note_repeats(const Chunk& chunk, RepeatTable& table, std::uint64_t& repeats) const {
    if (drops_wrongly()) return ok();
    for (std::size_t i = 0; i < chunk.keys.size(); ++i) {
      if (chunk.is_new[i] != 0) continue;
      ++repeats;
      const auto put = table.put(fingerprint_of(chunk.keys[i]));
      if (!put) return put.error();
    }
    return ok();
  }

  // At most half of the records are the first of a key that is repeated. The filter takes some new
  // keys for repeats, which get an entry as well.
  void bound_table(const Trial& trial, double wrongly) {
    if (drops_wrongly()) return;
    double keys = double_records() / 2 + wrongly;
    if (trial.whole)
      keys = static_cast<double>(std::min(trial.repeats, trial.records - trial.repeats)) + wrongly;
    const auto most = static_cast<std::uint64_t>(std::min(keys, double_records()));
    if (job_.table == RepeatsKept::kPlaces)
      all_.table_bytes = SuspectTable::peak_bytes(most) + all_.records / 8;
    else
      all_.table_bytes = RepeatTable::peak_bytes(most) +
                         (job_.table == RepeatsKept::kCounts ? all_.records / 8 : 0);
  }

  double whole_run(const Trial& trial) const {
    if (trial.whole || trial.records == 0) return trial.seconds;
    return trial.seconds * std::max(1.0, double_records() / static_cast<double>(trial.records));
  }

  Status measure(double wrongly) {
    const std::uint32_t threads = std::max<std::uint32_t>(1, globals_.threads);
    // The first trial brings the sample and the filter's pages into memory; the next are compared.
    const auto warm = try_sample(threads, kTrialBytes, kTrialSeconds);
    if (!warm) return warm.error();
    bound_table(*warm, wrongly);
    const std::uint64_t sample = std::max<std::uint64_t>(1, warm->bytes);
    const auto now = try_sample(threads, sample, 1e9);
    if (!now) return now.error();
    all_.seconds = whole_run(*now);
    all_.sample_bytes = now->consumed;
    all_.records_per_second = static_cast<double>(now->records) / std::max(now->seconds, 1e-9);
    const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
    if (threads * 2 > cores) {
      all_.half_time.reason = message("all ", cores, " cores are in use; split the input between ",
                                      "machines and merge their filters");
      return ok();
    }
    const auto more = try_sample(threads * 2, sample, 1e9);
    if (!more) return more.error();
    all_.half_time = {message("-j ", threads * 2), "", all_.bytes, all_.wrong_drops,
                      whole_run(*more)};
    if (more->seconds > now->seconds * 0.9)
      all_.half_time.reason = "hardly faster on this sample; cores are busy or the sample is short";
    return ok();
  }

  // A small filter with the same options: its size is in proportion to its keys.
  std::optional<Description> small_filter(double rate) const {
    CreateOptions options = job_.options->filter.create;
    options.sizing = {};
    options.sizing.keys = kProxyKeys;
    options.sizing.rate = rate;
    const auto filter = job_.seen->format().create(options);
    if (!filter) return std::nullopt;
    return describe(*filter);
  }

  // The highest rate that needs at most half of the memory.
  std::optional<double> rate_for_half(double rate) const {
    const auto now = small_filter(rate);
    const auto least = small_filter(0.5);
    if (!now || !least || least->bytes > now->bytes / 2) return std::nullopt;
    double low = std::log(rate);
    double high = std::log(0.5);
    for (int step = 0; step < 24; ++step) {
      const double middle = (low + high) / 2;
      const auto smaller = small_filter(std::exp(middle));
      if (!smaller) return std::nullopt;
      (smaller->bytes > now->bytes / 2 ? low : high) = middle;
    }
    // Two digits are what a person would type.
    const double power = std::pow(10, std::floor(high / std::log(10)) - 1);
    return std::ceil(std::exp(high) / power) * power;
  }

  Change with_plan(std::string option, double keys, double rate) const {
    Change change;
    change.option = std::move(option);
    const auto small = small_filter(rate);
    if (!small) return change;
    const double scale = keys / static_cast<double>(kProxyKeys);
    const FullFilter end = fill_up(*small, double_records() / scale, growth());
    change.bytes = static_cast<std::uint64_t>(end.bytes * scale * rounding(keys));
    change.wrong_drops = drops_wrongly() ? std::min(end.wrong_drops * scale, double_records()) : 0;
    return change;
  }

  // What the planned filter is larger than its share of a small one, for the same number of keys.
  double rounding(double keys) const {
    const SizingRequest& sizing = job_.options->filter.create.sizing;
    const auto small = small_filter(*sizing.rate);
    if (!small || keys != static_cast<double>(*sizing.keys)) return 1;
    return static_cast<double>(all_.filter.bytes) /
           (static_cast<double>(small->bytes) * keys / static_cast<double>(kProxyKeys));
  }

  void suggest_rates() {
    const SizingRequest& sizing = job_.options->filter.create.sizing;
    const bool kept =
        !all_.filter.goal || !sizing.rate || !sizing.keys || sizing.bits || sizing.blocks;
    if (kept) {
      const char* const why = "the size of the filter was given, or it exists; give -n and -p";
      all_.half_memory.reason = all_.half_wrong_drops.reason = why;
      return;
    }
    const double rate = *sizing.rate;
    const auto keys = static_cast<double>(*sizing.keys);
    if (all_.table_bytes > all_.bytes)
      all_.half_memory.reason = "most of it is for repeated keys, whose number the input decides";
    else if (const auto higher = rate_for_half(rate))
      all_.half_memory = with_plan(message("-p ", significant(*higher, 3)), keys, *higher);
    else
      all_.half_memory.reason = "the filter is as small as filters get";
    const bool is_short = all_.filter.layout != "scalable" && all_.records > *sizing.keys;
    if (!drops_wrongly())
      all_.half_wrong_drops.reason = "no record is dropped wrongly";
    else if (all_.wrong_drops < kHardlyAny)
      all_.half_wrong_drops.reason = "hardly any record is dropped wrongly";
    else if (is_short)
      all_.half_wrong_drops = with_plan(message("-n ", all_.records), double_records(), rate);
    else if (rate / 2 < kRarestRate)
      all_.half_wrong_drops = {"--exact", "", {}, 0.0, {}};
    else
      all_.half_wrong_drops = with_plan(message("-p ", significant(rate / 2, 3)), keys, rate / 2);
  }

  const ExplainJob& job_;
  const Globals& globals_;
  Explanation all_;
};

}  // namespace

double planned_wrong_drops(const Description& filter, double records, const Growth& growth) {
  return fill_up(filter, records, growth).wrong_drops;
}

Result<Explanation> explain_dedup(const ExplainJob& job, const Globals& globals) {
  return Explaining{job, globals}.run();
}

}  // namespace bloomery::cli
