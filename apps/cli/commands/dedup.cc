// bloomery dedup: each record the first time it is seen, in input order.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "apps/cli/dedup/exact.h"
#include "apps/cli/dedup/notice.h"
#include "apps/cli/dedup/output.h"
#include "apps/cli/dedup/summary.h"
#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDedupExamples =
    "Examples:\n"
    "  bloomery dedup urls.txt > once.txt               each line the first time it is seen\n"
    "  tail -f log | bloomery dedup -f 3                the first line with each third column\n"
    "  bloomery dedup --exact urls.txt > once.txt       as awk '!x[$0]++', in far less memory\n"
    "  bloomery dedup --save seen.bloom today.txt       only what no earlier run has printed\n"
    "  bloomery dedup --against old.bloom new.txt       only what another filter does not contain\n"
    "  bloomery dedup -c urls.txt                       how many different lines\n";

// A false positive is a lost record here.
constexpr double kDedupRate = 1e-4;
// With --exact it costs a look at the record and nothing more, and the filter is half as large.
constexpr double kExactRate = 0.01;

struct DedupOptions {
  std::vector<std::string> files;
  SeenKeysOptions seen;
  RecordOptions records;
  bool exact = false;
  bool repeats = false;
  bool count = false;
  bool strict = false;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && std::filesystem::exists(path, ignored);
}

Error cannot_confirm(const std::string& path) {
  return {ErrorCode::kInvalidArgument,
          message("--exact cannot confirm what ", path,
                  " drops, because a filter does not store its keys; give --save a new file")};
}

Status check_combinations(const DedupOptions& options) {
  const auto usage = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  const SeenKeysOptions& seen = options.seen;
  if (seen.against.empty() && seen.against_format != "auto")
    return usage("--against-format describes the filters of --against, but none is given");
  // With --against it gives the byte order of numbers.
  if (seen.save.empty() && seen.against.empty() && !options.records.csharp_exact &&
      format_is_given(seen.filter))
    return usage("--format describes the filter of --save, but none is given");
  if (options.exact && !seen.against.empty())
    return usage(
        "--exact cannot be combined with --against, because a filter does not store its keys");
  if (options.exact && exists(seen.save)) return cannot_confirm(seen.save);
  for (const std::string& path : seen.against) {
    std::error_code ignored;
    if (!seen.save.empty() && std::filesystem::equivalent(path, seen.save, ignored))
      return usage(message(path,
                           ": it is given both to --against, which only reads, and to --save; use "
                           "another file for one of them"));
  }
  return ok();
}

// One run of the command.
class Dedup {
 public:
  Dedup(DedupOptions& options, Session& session) : options_{options}, session_{session} {}

  void run() {
    if (!prepare()) return;
    const auto line = message("bloomery: ", options_.seen.save, ": ", not_saved());
    std::optional<EndNotice> end_notice;
    if (saves() && !session_.globals.quiet) end_notice.emplace(line);
    auto done = options_.exact ? drop_exactly() : drop();
    if (done) done = hand_over();
    end_notice.reset();
    if (!done) {
      session_.exit_code = complain("", done.error(), Blame::kArguments);
      if (saves() && !session_.globals.quiet) std::cerr << line << '\n';
      return;
    }
    save_and_report();
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool saves() const { return !options_.seen.save.empty(); }
  bool prints_records() const { return !options_.count && !session_.globals.json; }
  std::string not_saved() const {
    return session_.locked.lock.held() ? "not saved; the old file is unchanged" : "not saved";
  }

  bool stop(const Error& error) {
    session_.exit_code = complain("", error, Blame::kArguments);
    return false;
  }

  // -d is the separator of cut, and an argument of one byte after it was meant as one.
  Error with_hint(const Error& error) const {
    const bool meant =
        options_.repeats && std::ranges::any_of(options_.files, [](const auto& file) {
          return file.size() == 1 && file != "-";
        });
    if (!meant) return error;
    return {error.code,
            message(error.message, "; did you mean -t? -d prints repeats, -t sets the separator")};
  }

  bool prepare() {
    if (auto fits = check_combinations(options_); !fits) return stop(fits.error());
    if (!saves() && refuse_lock_timeout("there is no --save", session_)) return false;
    if (needs_file(options_.seen.save,
                   "--save takes a file only; in a server, BF.ADD reports whether a key is new",
                   session_))
      return false;
    if (saves() && !may_write({options_.seen.save, true}, session_)) return false;
    auto inputs = find_inputs(options_.files, options_.records.input);
    if (!inputs) return stop(with_hint(inputs.error()));
    inputs_ = std::move(*inputs);
    auto not_to_write = inputs_;
    if (saves()) not_to_write.push_back({options_.seen.save, std::nullopt});
    if (auto other = refuse_own_output(STDOUT_FILENO, not_to_write); !other)
      return stop(other.error());
    if (auto other = refuse_as_output(options_.seen.save, inputs_); !other)
      return stop(other.error());
    if (auto fits = check_funnel(options_.records, options_.seen.filter.format); !fits)
      return stop(fits.error());
    return open();
  }

  bool open() {
    std::optional<std::uint64_t> counted;
    options_.seen.default_rate = options_.exact && !saves() ? kExactRate : kDedupRate;
    if (options_.exact) {
      auto replay = Replay::open(inputs_, options_.records.delimiter);
      if (!replay) return stop(replay.error());
      replay_.emplace(std::move(*replay));
      if (replay_->plain().size() != inputs_.size()) {
        const auto others = estimate_records(replay_->plain(), options_.records.delimiter);
        if (!others) return stop(others.error());
        counted = replay_->copied_records() + others->records;
      }
    }
    seen_ = open_seen_keys(options_.seen, options_.records, inputs_, counted, session_);
    if (!seen_) return false;
    if (options_.exact && session_.locked.lock.held())  // it appeared after the first look
      return stop(cannot_confirm(options_.seen.save));
    summary_.before = describe(seen_->filter());
    return true;
  }

  ChunkSequence::Keys keys() const {
    return {options_.records, byte_order_of(seen_->format().name)};
  }

  Status print(Chunk& chunk) const {
    return write_all(STDOUT_FILENO, gather_records(chunk, !options_.repeats));
  }

  Status drop() {
    Progress progress{session_.globals, total_bytes(inputs_)};
    ChunkSequence input{files_to_open(inputs_), keys(), progress};
    Stages stages;
    stages.fill = [&](Chunk& chunk) { return input.fill(chunk); };
    stages.decide = [&](Chunk& chunk) -> Status {
      const auto taken = seen_->take(chunk);
      if (!taken) return taken.error();
      summary_.kept += *taken;
      return within_memory(seen_->filter(), session_.globals);
    };
    if (prints_records()) stages.print = [&](Chunk& chunk) { return print(chunk); };
    if (auto done = run_stages(stages, session_.globals.threads); !done) return done;
    summary_.records = input.records();
    summary_.skipped = input.skipped();
    summary_.filter = described_after_work(seen_->filter(), seen_->format());
    return ok();
  }

  Status drop_exactly() {
    ExactJob job{.replay = &*replay_, .keys = keys(), .seen = &*seen_, .keep_filter = saves()};
    if (prints_records()) job.print = [&](Chunk& chunk) { return print(chunk); };
    const auto totals = dedup_exactly(job, session_.globals);
    if (!totals) return totals.error();
    summary_.records = totals->records;
    summary_.skipped = totals->skipped;
    summary_.kept = totals->kept;
    summary_.suspects = totals->suspects;
    summary_.filter = totals->filter;
    return ok();
  }

  std::uint64_t selected() const {
    return options_.repeats ? summary_.records - summary_.kept : summary_.kept;
  }

  // All that goes to stdout is there before anything is saved: a record that was marked as seen and
  // never printed would be lost for good.
  Status hand_over() {
    summary_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::string text;
    if (session_.globals.json)
      text = dedup_json(summary_, selected());
    else if (options_.count)
      text = message(selected(), "\n");
    if (auto written = write_all(STDOUT_FILENO, bytes_of(text)); !written) return written;
    return saves() ? sync_output(STDOUT_FILENO) : ok();
  }

  void save_and_report() {
    if (options_.strict && over_design(summary_.filter)) {
      warn_of_health(options_.seen.save, summary_.filter, session_.globals);
      session_.exit_code =
          complain(options_.seen.save,
                   message(saves() ? not_saved() + ": " : "",
                           "the filter is over its design, and --strict ", "forbids it"),
                   kExitRefused);
      return;
    }
    if (saves() && !save_filter(options_.seen.save, seen_->format(), seen_->filter(), session_))
      return;
    if (session_.globals.quiet) return;
    add_against_rates();
    std::cerr << "bloomery: " << dedup_sentence(summary_) << '\n';
    warn_of_health(options_.seen.save, summary_.filter, session_.globals);
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
  Session& session_;
  Clock::time_point start_ = Clock::now();
  std::vector<InputFile> inputs_;
  std::optional<Replay> replay_;
  std::optional<SeenKeys> seen_;
  DedupSummary summary_;
};

void add_dedup_options(CommandLine& app, DedupOptions& options) {
  constexpr const char* kSeen = "What counts as seen";
  constexpr const char* kOutput = "Output";
  app.add_list("--against", options.seen.against,
               "Drop records that this filter may contain; it is only read. May be repeated")
      ->value_name("FILTER")
      ->group(kSeen);
  app.add_option("--against-format", options.seen.against_format,
                 "Format of the filters of --against (default: auto, recognized by the first "
                 "bytes; the sizing options then also describe a filter without a header)")
      ->value_name("NAME")
      ->group(kSeen);
  app.add_option("--save", options.seen.save,
                 "Drop records that this filter contains; add the others to it and save it once "
                 "all records are printed. A missing file is created")
      ->value_name("FILTER")
      ->group(kSeen);
  app.add_flag(
         "--exact", options.exact,
         "Drop no record wrongly: suspected repeats are compared with the records. Reads the input "
         "up to three times (a pipe is copied to TMPDIR first). Cannot be combined with --against, "
         "or with --save on an existing file, because a filter does not store its keys")
      ->group(kSeen);
  app.add_flag("--strict", options.strict,
               "Exit with 4 and save nothing if the filter ends up over its design")
      ->group(kSeen);
  app.add_flag("-d,--repeated", options.repeats,
               "Print only repeats: records that were seen before")
      ->group(kOutput);
  app.add_flag("-c,--count", options.count,
               "Print only the number of different records (with -d: of repeats)")
      ->group(kOutput);
}

void run(DedupOptions& options, const CommandLine& app, Session& session) {
  if (lacks_input(options.files, app, session)) return;
  Dedup{options, session}.run();
}

}  // namespace

void attach_dedup(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<DedupOptions>();
  subcommand.examples(kDedupExamples);
  add_record_files(subcommand, options->files);
  add_dedup_options(subcommand, *options);
  add_record_options(subcommand, options->records);
  options->records.prints_without_key = true;
  add_new_filter_options(subcommand, options->seen.filter);
  subcommand.find_option("--fpr")->help(
      "False-positive rate when that many keys are in (default: 0.01%; with --exact: 1%)");
  subcommand.find_option("--layout")
      ->help(
          "Memory layout (default: auto, which is block, the fastest, or classic for rates below "
          "0.005 %)");
  subcommand.hint("-o", "the records are printed to standard output; redirect it with > FILE");
  subcommand.hint("--output",
                  "the records are printed to standard output; redirect it with > FILE");
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
