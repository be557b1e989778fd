#include "apps/cli/dedup/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <new>

#include "apps/cli/dedup/exact.h"
#include "apps/cli/dedup/explain.h"
#include "apps/cli/dedup/notice.h"
#include "apps/cli/dedup/output.h"
#include "apps/cli/dedup/printer.h"
#include "apps/cli/dedup/ranges.h"
#include "apps/cli/dedup/summary.h"
#include "apps/cli/dedup/tally.h"
#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/filters/write_lock.h"

namespace bloomery::cli {
namespace {

// A false positive is a lost record here.
constexpr double kDedupRate = 1e-4;
// Where suspects are compared it costs a look and nothing more, and the filter is half as large.
constexpr double kConfirmedRate = 0.01;

class Dedup {
 public:
  Dedup(DedupOptions& options, const std::string& given, Session& session)
      : options_{options}, given_{given}, session_{session} {}

  void run() {
    if (!prepare()) return;
    if (options_.explain) return explain();
    const auto line = last_line();
    std::optional<EndNotice> end_notice;
    if (saves() && !session_.globals.quiet) end_notice.emplace(line);
    auto done = work();
    if (done) done = hand_over();
    end_notice.reset();
    if (!done) {
      session_.exit_code = complain("", done.error(), Blame::kArguments);
      abandon();
      if (saves() && !session_.globals.quiet) std::cerr << line << '\n';
      return;
    }
    save_and_report();
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool saves() const { return !options_.seen.save.empty(); }
  bool prints_records() const { return !options_.count && !session_.globals.json; }
  bool has_dupes() const { return !options_.dupes.empty(); }
  std::string not_saved() const {
    return session_.locked.lock.held() ? "not saved; the old file is unchanged" : "not saved";
  }
  std::string last_line() const {
    if (options_.checkpoint)
      return message("bloomery: ", options_.output.path,
                     ": not finished; the same command goes on from the last checkpoint");
    return message("bloomery: ", options_.seen.save, ": ", not_saved());
  }

  bool stop(const Error& error) {
    session_.exit_code = complain("", error, Blame::kArguments);
    return false;
  }
  bool check(const Status& status) { return status ? true : stop(status.error()); }

  bool prepare() {
    if (!check(check_combinations(options_))) return false;
    if (!check(check_output_options(options_, session_.globals))) return false;
    if (!saves() && refuse_lock_timeout("there is no --save", session_)) return false;
    if (needs_file(options_.seen.save,
                   "--save takes a file only; in a server, BF.ADD reports whether a key is new",
                   session_))
      return false;
    if (saves() && refuse_to_change_set(options_.seen.save, session_)) return false;
    if (saves() && !may_write({options_.seen.save, true}, session_)) return false;
    options_.records.input.threads = session_.globals.threads;
    auto inputs = find_inputs(options_.files, options_.records);
    if (!inputs) return stop(with_separator_hint(inputs.error(), options_));
    inputs_ = std::move(*inputs);
    if (!check(check_files(options_, inputs_))) return false;
    if (!check(check_funnel(options_.records, options_.seen.filter.format))) return false;
    if (!check(load_state())) return false;
    // The files are opened last, so that a refused command leaves older ones as they were.
    return open() && (options_.explain || check(open_outputs()));
  }

  // What an earlier run left; a run that cannot use it must not overwrite it.
  Status load_state() {
    if (options_.output.path.empty() || options_.explain) return ok();
    checkpoint_path_ = checkpoint_of(options_.output.path);
    if (!options_.checkpoint) return check_no_checkpoint(checkpoint_path_);
    auto compared = inputs_;
    std::error_code ignored;
    for (const std::string& path : options_.seen.against)
      if (std::filesystem::is_regular_file(path, ignored)) compared.push_back({path, std::nullopt});
    auto begun = begin_or_resume(checkpoint_path_, given_, compared, session_.globals.memory);
    if (!begun) return begun.error();
    resumed_ = begun->is_resumed;
    state_ = std::move(begun->state);
    return ok();
  }

  bool open() {
    std::optional<std::uint64_t> counted;
    options_.seen.default_rate = options_.reads_again() && !saves() ? kConfirmedRate : kDedupRate;
    if (options_.reads_again() && !options_.explain) {
      auto replay = Replay::open(inputs_, options_.records.ends(), reading_option(options_));
      if (!replay) return stop(replay.error());
      replay_.emplace(std::move(*replay));
      if (replay_->plain().size() != inputs_.size()) {
        const auto others = estimate_records(replay_->plain(), options_.records.ends());
        if (!others) return stop(others.error());
        counted = replay_->copied_records() + others->records;
      }
    }
    seen_ = resumed_ ? resume_seen_keys(options_.seen, options_.records,
                                        {checkpoint_path_, state_.format, state_.filter}, session_)
                     : open_seen_keys(options_.seen, options_.records, inputs_, counted, session_);
    if (!seen_) return false;
    if (options_.reads_again() && session_.locked.lock.held())  // it appeared after the first look
      return stop(cannot_confirm(options_));
    summary_.before = seen_->opened();
    return !options_.checkpoint || check(compare_saved());
  }

  // Under the lock, so that no other process changes the file any more.
  Status compare_saved() {
    const auto now = hash_of_saved(options_.seen.save);
    if (!now) return now.error();
    if (resumed_) return check_saved(checkpoint_path_, state_, options_.seen.save, *now);
    state_.had_saved = now->exists;
    state_.saved_hash = now->hash;
    return ok();
  }

  Status open_outputs() {
    auto opened = printer_.open(resumed_ ? &state_ : nullptr);
    return opened || !resumed_ ? opened : Status{with_advice(opened.error())};
  }
  Error with_advice(const Error& error) const {
    return {error.code, message(error.message, "; to start over, remove ", checkpoint_path_)};
  }

  ChunkSequence::Keys keys() const {
    ChunkSequence::Keys keys{options_.records, byte_order_of(seen_->format().name)};
    // Only rows that are printed must fit under the header.
    if (keys.options.csv) keys.options.csv->prints_rows = printer_.prints_anything();
    return keys;
  }

  template <class Job>
  void add_output_to(Job& job) {
    if (!printer_.prints_anything()) return;
    job.arrange = [this](Chunk& chunk) { return printer_.arrange(chunk); };
    job.print = [this](Chunk& chunk) { return printer_.print(chunk); };
  }

  Status work() {
    if (options_.exact) return drop_exactly();
    return options_.reads_again() ? drop_by_tally() : drop();
  }

  Status drop() {
    Progress progress{session_.globals, total_bytes(inputs_)};
    ChunkSequence input{files_from(inputs_, state_.position), keys(), progress};
    const StartTotals start = state_;
    summary_.kept = start.kept;
    summary_.kept_earlier = start.kept;
    summary_.skipped_earlier = start.skipped;
    summary_.wrong_earlier = start.expected_wrong;
    for (bool ended = false; !ended;) {
      if (auto done = drop_until_checkpoint(input, start.position, ended); !done) return done;
      summary_.records = start.records + input.records() - input.left_out();
      summary_.skipped = start.skipped + input.skipped();
      if (!ended || options_.checkpoint)
        if (auto saved = save_state(start.seconds, ended); !saved) return saved;
    }
    note_malformed(input.malformed());
    summary_.filter = described_after_work(seen_->filter(), seen_->format());
    return printer_.print_preamble(input.preamble().get());
  }
  void note_malformed(std::uint64_t rows) {
    if (!options_.records.csv) return;
    summary_.malformed = rows;
    summary_.keeps_malformed = options_.records.csv->on_error == OnError::kKeep;
  }

  // All stages end before the state is saved: threads read ahead, and filter and output must be of
  // the same record.
  Status drop_until_checkpoint(ChunkSequence& input, InputPosition start, bool& ended) {
    KeyRanges ranges{*seen_, session_.globals.threads};
    Stages stages = insertion_stages(input, ranges, session_.globals.threads);
    const std::uint64_t first_record = input.records();
    std::uint64_t bytes = 0;
    stages.fill = [&, fill = stages.fill](Chunk& chunk) -> Result<bool> {
      if (is_due(input.records() - first_record, bytes)) return false;
      auto there = fill(chunk);
      ended = there && !*there;
      if (!there || !*there) return there;
      // All rows of it may be malformed.
      if (!chunk.records.empty())
        bytes += static_cast<std::uint64_t>(chunk.records.back().data() - chunk.buffer.data()) +
                 chunk.records.back().size() + 1;
      state_.position = input.position();
      state_.position.file += start.file;
      return there;
    };
    stages.decide = [&](Chunk& chunk) -> Status {
      input.report_malformed(chunk);
      summary_.kept += static_cast<std::uint64_t>(std::ranges::count(chunk.is_new, 1));
      return within_memory(seen_->filter(), session_.globals);
    };
    add_output_to(stages);
    auto done = run_stages(stages, session_.globals.threads);
    ranges.finish();
    return done;
  }
  bool is_due(std::uint64_t records, std::uint64_t bytes) const {
    const auto& interval = options_.checkpoint;
    return interval &&
           (interval->records != 0 ? records >= interval->records : bytes >= interval->bytes);
  }

  Status save_state(double seconds_before, bool finished) {
    if (auto settled = printer_.settle(true); !settled) return settled;
    auto encoded = seen_->format().encode(seen_->filter());
    if (!encoded) return encoded.error();
    state_.filter = std::move(*encoded);
    state_.format = seen_->format().name;
    state_.records = summary_.records;
    state_.kept = summary_.kept;
    state_.skipped = summary_.skipped;
    summary_.filter = described_after_work(seen_->filter(), seen_->format());
    state_.expected_wrong = expected_wrongly(summary_).value_or(0);
    state_.seconds = seconds_before + seconds();
    state_.output_bytes = printer_.output_bytes();
    state_.dupes_bytes = printer_.dupes_bytes();
    state_.finished = finished;
    return save_checkpoint(checkpoint_path_, state_);
  }

  ReplayJob replay_job() {
    ReplayJob job{.replay = &*replay_, .keys = keys(), .seen = &*seen_, .keep_filter = saves()};
    add_output_to(job);
    return job;
  }
  Status end_replay(const ReplayTotals& totals) {
    summary_.records = totals.records;
    summary_.skipped = totals.skipped;
    summary_.kept = totals.kept;
    note_malformed(totals.malformed);
    summary_.filter = totals.filter;
    return printer_.print_preamble(totals.preamble.get());
  }

  Status drop_exactly() {
    const auto totals = dedup_exactly(replay_job(), session_.globals);
    if (!totals) return totals.error();
    summary_.suspects = totals->suspects;
    return end_replay(*totals);
  }

  Status drop_by_tally() {
    const TallyRule rule{options_.count_each ? Tally::kCounts : Tally::kLast, options_.repeats};
    const auto totals = tally_records(replay_job(), rule, session_.globals);
    if (!totals) return totals.error();
    summary_.repeated = totals->repeated;
    summary_.counts = options_.count_each;
    summary_.fingerprints_wrong = totals->expected_wrong;
    return end_replay(*totals);
  }

  void explain() {
    const ExplainJob job{.inputs = &inputs_,
                         .keys = keys(),
                         .seen = &*seen_,
                         .options = &options_.seen,
                         .table = options_.exact        ? RepeatsKept::kPlaces
                                  : options_.count_each ? RepeatsKept::kCounts
                                  : options_.keep_last  ? RepeatsKept::kLast
                                                        : RepeatsKept::kNone};
    const auto all = explain_dedup(job, session_.globals);
    if (!all) {
      stop(all.error());
      return;
    }
    const auto text = session_.globals.json ? explanation_json(*all, session_.globals)
                                            : explanation_text(*all, session_.globals);
    check(write_all(STDOUT_FILENO, bytes_of(text)));
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::uint64_t selected() const {
    const bool repeats = options_.repeats && !options_.count_each;
    return repeats ? summary_.records - summary_.kept : summary_.kept;
  }

  // Records without a key are printed, but none of the different ones.
  std::uint64_t different() const {
    return options_.repeats && !options_.count_each ? selected() : selected() - summary_.skipped;
  }

  // All records are where they belong before the filter is saved: a record that was marked as seen
  // and never printed would be lost for good.
  Status hand_over() {
    if (auto whole = seen_->check_against(); !whole) return whole;
    add_against_rates();
    summary_.seconds = resumed_ ? state_.seconds : seconds();
    std::string text;
    if (session_.globals.json)
      text = dedup_json(summary_, selected());
    else if (options_.count)
      text = message(different(), "\n");
    if (auto written = write_all(STDOUT_FILENO, bytes_of(text)); !written) return written;
    return printer_.settle(saves());
  }

  bool save() {
    if (!saves()) return true;
    if (options_.checkpoint)
      return save_encoded(options_.seen.save, seen_->format(), state_.filter, session_);
    return save_filter(options_.seen.save, seen_->format(), seen_->filter(), session_);
  }
  // A partial file is left only where a later run goes on with it.
  void abandon() {
    if (!options_.checkpoint) printer_.abandon();
  }

  void save_and_report() {
    if (options_.strict && over_design(summary_.filter)) {
      abandon();
      warn_of_health(options_.seen.save, summary_.filter, session_.globals);
      session_.exit_code =
          complain(options_.seen.save,
                   message(saves() ? not_saved() + ": " : "",
                           "the filter is over its design, and --strict ", "forbids it"),
                   kExitRefused);
      return;
    }
    // Before anything is final: a run that ends with an error is repeated, and a repeated one finds
    // every record in the filter.
    const std::string stats = options_.stats_fd ? dedup_json(summary_, selected()) : "";
    const std::string stats_name = message("--stats-fd ", options_.stats_fd.value_or(0));
    const std::string sentence = message("bloomery: ", dedup_sentence(summary_), "\n");
    if (!check(printer_.publish())) return abandon();
    if (!save()) return;
    if (options_.checkpoint && !check(remove_checkpoint(checkpoint_path_))) return;
    if (options_.stats_fd &&
        !check(write_all(static_cast<int>(*options_.stats_fd), bytes_of(stats), stats_name)))
      return;
    if (session_.globals.quiet) return;
    std::cerr << sentence;
    try {
      warn_of_health(options_.seen.save, summary_.filter, session_.globals);
    } catch (const std::bad_alloc&) {  // the run is complete without its warning
    }
  }

  void add_against_rates() {
    for (const QueryableFilter& filter : seen_->against()) {
      const auto health = filter.is_mapped() ? std::nullopt : filter.describe().health;
      if (!health) summary_.against_is_known = false;
      if (health)
        summary_.against_rate = 1 - (1 - summary_.against_rate) * (1 - health->error_rate);
    }
  }

  DedupOptions& options_;
  const std::string& given_;
  Session& session_;
  Clock::time_point start_ = Clock::now();
  std::vector<InputFile> inputs_;
  std::optional<Replay> replay_;
  std::optional<SeenKeys> seen_;
  std::string checkpoint_path_;
  CheckpointState state_;
  bool resumed_ = false;  // state_ is of an earlier run
  RecordPrinter printer_{options_, prints_records()};
  DedupSummary summary_;
};

}  // namespace

void dedup_records(DedupOptions& options, const std::string& given, Session& session) {
  Dedup{options, given, session}.run();
}

}  // namespace bloomery::cli
