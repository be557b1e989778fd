#include "apps/cli/dedup/explain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "apps/cli/dedup/output.h"
#include "apps/cli/dedup/ranges.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kTrialBytes = std::uint64_t{64} << 20;  // decompressed
constexpr double kTrialSeconds = 0.5;
constexpr double kRarestRate = 1e-15;

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
    all_.bytes = final_bytes();
    all_.wrong_drops =
        job_.drops_none_wrongly ? 0 : planned_wrong_drops(all_.filter, double_records());
    if (auto done = measure(); !done) return done.error();
    suggest_rates();
    return all_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double double_records() const { return static_cast<double>(all_.records); }
  bool grows() const { return all_.filter.layout == "scalable"; }

  std::uint64_t final_bytes() const {
    if (!grows() || !all_.filter.goal || all_.filter.goal->keys == 0) return all_.filter.bytes;
    const double layers =
        std::max(1.0, double_records() / static_cast<double>(all_.filter.goal->keys));
    return static_cast<std::uint64_t>(static_cast<double>(all_.filter.bytes) * layers);
  }

  struct Trial {
    double seconds = 0;
    std::uint64_t consumed = 0;
    std::uint64_t records = 0;
    bool whole = false;  // the sample is all of the input
  };
  // The records are found, looked up and arranged as in a run, and not printed.
  Result<Trial> try_sample(std::uint32_t threads, std::uint64_t most_bytes, double most_seconds) {
    Globals quiet = globals_;
    quiet.quiet = true;
    quiet.progress = When::kNever;
    Progress progress{quiet, std::nullopt};
    std::uint64_t consumed = 0;
    auto files = files_to_open(*job_.inputs);
    for (OpenFile& open : files)
      open = [open, &consumed]() -> Result<OpenedFile> {
        auto file = open();
        if (!file) return file;
        // Progress is not shown; what was read of each file is summed up here.
        const auto inner = file->read;
        file->read = [inner, count = file->consumed, last = std::uint64_t{0},
                      &consumed](ByteSpan into) mutable {
          auto got = inner(into);
          consumed += count() - last;
          last = count();
          return got;
        };
        return file;
      };
    ChunkSequence input{std::move(files), job_.keys, progress};
    KeyRanges ranges{*job_.seen, threads};
    Stages stages = insertion_stages(input, ranges, threads);
    const auto start = Clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    Trial trial;
    std::uint64_t bytes = 0;
    stages.fill = [&, fill = stages.fill](Chunk& chunk) -> Result<bool> {
      if (bytes >= most_bytes || (bytes > 0 && seconds() > most_seconds)) return false;
      auto there = fill(chunk);
      if (there && *there)
        bytes += static_cast<std::uint64_t>(chunk.records.back().data() +
                                            chunk.records.back().size() - chunk.buffer.data());
      else
        trial.whole = true;
      return there;
    };
    stages.decide = [](Chunk&) { return ok(); };
    stages.arrange = [](Chunk& chunk) -> Status {
      chunk.output = gather_records(chunk, true);
      return ok();
    };
    if (auto done = run_stages(stages, threads); !done) return done.error();
    ranges.finish();
    trial.seconds = seconds();
    trial.consumed = std::max<std::uint64_t>(1, consumed);
    trial.records = input.records();
    sampled_ = bytes;
    return trial;
  }

  double whole_run(const Trial& trial) const {
    const double share = trial.whole ? 1
                                     : static_cast<double>(total_bytes(*job_.inputs).value_or(0)) /
                                           static_cast<double>(trial.consumed);
    return trial.seconds * std::max(1.0, share) * job_.readings;
  }

  Status measure() {
    const std::uint32_t threads = std::max<std::uint32_t>(1, globals_.threads);
    // The first trial brings the sample and the filter's pages into memory; the next are compared.
    const auto warm = try_sample(threads, kTrialBytes, kTrialSeconds);
    if (!warm) return warm.error();
    const std::uint64_t sample = std::max<std::uint64_t>(1, sampled_);
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

  // Of a small filter with the same options: its size is in proportion to its keys.
  std::optional<double> bytes_per_key(double rate) const {
    CreateOptions options = job_.options->filter.create;
    constexpr std::uint64_t kProxyKeys = 1'000'000;
    options.sizing = {};
    options.sizing.keys = kProxyKeys;
    options.sizing.rate = rate;
    if (options.layout == Layout::kScalable) options.layout = Layout::kBlock;
    const auto filter = job_.seen->format().create(options);
    if (!filter) return std::nullopt;
    return static_cast<double>(describe(*filter).bytes) / kProxyKeys;
  }

  // The highest rate that needs at most half of the memory.
  std::optional<double> rate_for_half(double rate) const {
    const auto now = bytes_per_key(rate);
    if (!now) return std::nullopt;
    double low = std::log(rate);
    double high = std::log(0.5);
    if (const auto least = bytes_per_key(0.5); !least || *least > *now / 2) return std::nullopt;
    for (int step = 0; step < 24; ++step) {
      const double middle = (low + high) / 2;
      const auto bytes = bytes_per_key(std::exp(middle));
      if (!bytes) return std::nullopt;
      (*bytes > *now / 2 ? low : high) = middle;
    }
    // Two digits are what a person would type.
    const double power = std::pow(10, std::floor(high / std::log(10)) - 1);
    return std::ceil(std::exp(high) / power) * power;
  }

  Change with_rate(double rate, double now) const {
    Change change;
    change.option = message("-p ", significant(rate, 3));
    const auto old_bytes = bytes_per_key(now);
    const auto new_bytes = bytes_per_key(rate);
    if (old_bytes && new_bytes)
      change.bytes =
          static_cast<std::uint64_t>(static_cast<double>(all_.bytes) * *new_bytes / *old_bytes);
    change.wrong_drops = job_.drops_none_wrongly ? 0 : all_.wrong_drops * rate / now;
    return change;
  }

  void suggest_rates() {
    const SizingRequest& sizing = job_.options->filter.create.sizing;
    const bool kept = !all_.filter.goal || !sizing.rate || sizing.bits || sizing.blocks;
    if (kept) {
      const char* const why = "the size of the filter was given, or it exists; give -n and -p";
      all_.half_memory.reason = all_.half_wrong_drops.reason = why;
      return;
    }
    const double rate = *sizing.rate;
    if (const auto higher = rate_for_half(rate))
      all_.half_memory = with_rate(*higher, rate);
    else
      all_.half_memory.reason = "the filter is as small as filters get";
    if (job_.drops_none_wrongly)
      all_.half_wrong_drops.reason = "no record is dropped wrongly";
    else if (rate / 2 < kRarestRate)
      all_.half_wrong_drops = {"--exact", "", {}, 0.0, {}};
    else
      all_.half_wrong_drops = with_rate(rate / 2, rate);
  }

  const ExplainJob& job_;
  const Globals& globals_;
  Explanation all_;
  std::uint64_t sampled_ = 0;
};

std::string change_sentence(const Change& change) {
  if (change.option.empty()) return change.reason;
  std::string text = change.option;
  const char* before = ": ";
  const auto add = [&](const std::string& part) {
    text += before + part;
    before = ", ";
  };
  if (change.seconds) add("about " + format_seconds(*change.seconds) + " (measured)");
  if (!change.reason.empty()) add(change.reason);
  if (change.bytes && !change.seconds) add(format_bytes(*change.bytes));
  if (change.wrong_drops && !change.seconds)
    add(message("about ", rounded_expectation(*change.wrong_drops), " dropped wrongly"));
  return text;
}

Json change_json(const Change& change) {
  return {{"option", change.option.empty() ? Json(nullptr) : Json(change.option)},
          {"reason", change.reason.empty() ? Json(nullptr) : Json(change.reason)},
          {"bytes", or_null(change.bytes)},
          {"expected_wrong_drops", or_null(change.wrong_drops)},
          {"seconds", or_null(change.seconds)}};
}

}  // namespace

double planned_wrong_drops(const Description& filter, double records) {
  if (!filter.goal || filter.goal->false_positive_rate <= 0) return 0;
  const double rate = filter.goal->false_positive_rate;
  if (!filter.bits || !filter.probes || filter.layout == "scalable" || filter.goal->keys == 0)
    return records * rate;
  const double share = static_cast<double>(*filter.probes) / static_cast<double>(*filter.bits);
  const double fill_before = filter.health ? filter.health->fill : 0;
  const double empty = (1 - fill_before) * std::exp(-records * share);
  const double goal_fill = 1 - std::exp(-static_cast<double>(filter.goal->keys) * share);
  Health full{};
  full.fill = std::min(1 - empty, 1 - 1e-12);
  full.error_rate = std::min(
      1 - 1e-12, rate * std::pow(full.fill / goal_fill, static_cast<double>(*filter.probes)));
  return std::min(records, expected_wrongly_dropped(records, fill_before, full));
}

Result<Explanation> explain_dedup(const ExplainJob& job, const Globals& globals) {
  return Explaining{job, globals}.run();
}

std::string explanation_text(const Explanation& all, const Globals& globals) {
  return message(
      "records              ", all.records_are_counted ? "" : "about ", format_count(all.records),
      all.records_are_counted ? " (counted)" : " (estimated from a sample)",
      "; at most as many different keys\n", "memory               ", format_bytes(all.bytes),
      " for the filter (", all.filter.layout, "); --memory allows ", format_bytes(globals.memory),
      "\n", "wrong drops          about ", rounded_expectation(all.wrong_drops),
      " if all keys differ\n", "time                 about ", format_seconds(all.seconds), " with ",
      counted(std::max<std::uint32_t>(1, globals.threads), "thread"), " (",
      format_speed(all.records_per_second), " on a sample of ", format_bytes(all.sample_bytes),
      ")\n", "to halve the memory  ", change_sentence(all.half_memory), "\n",
      "to halve wrong drops ", change_sentence(all.half_wrong_drops), "\n", "to halve the time    ",
      change_sentence(all.half_time), "\n");
}

std::string explanation_json(const Explanation& all, const Globals& globals) {
  const Json json{{"records", all.records},
                  {"records_are_counted", all.records_are_counted},
                  {"bytes", all.bytes},
                  {"memory_limit", globals.memory},
                  {"layout", all.filter.layout},
                  {"expected_wrong_drops", all.wrong_drops},
                  {"threads", std::max<std::uint32_t>(1, globals.threads)},
                  {"seconds", all.seconds},
                  {"records_per_second", all.records_per_second},
                  {"sample_bytes", all.sample_bytes},
                  {"halve_memory", change_json(all.half_memory)},
                  {"halve_wrong_drops", change_json(all.half_wrong_drops)},
                  {"halve_time", change_json(all.half_time)}};
  return json.dump() + "\n";
}

}  // namespace bloomery::cli
