#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>

#include "apps/cli/dedup/explain.h"
#include "apps/cli/dedup/options.h"
#include "apps/cli/dedup/output.h"
#include "apps/cli/documents/editor.h"
#include "apps/cli/documents/options.h"
#include "apps/cli/documents/signature.h"
#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/records/stages.h"
#include "apps/cli/shell/numbers.h"

namespace bloomery::cli {
namespace {

// A false positive is a lost paragraph here.
constexpr double kDocumentRate = 1e-4;
// The program, its chunks and the keys of one, as measured; a long document takes more.
constexpr std::uint64_t kBufferBytes = std::uint64_t{16} << 20;

class DocumentRun {
 public:
  DocumentRun(const DocumentJob& job, JsonTextFinder finder, Session& session)
      : job_{job},
        options_{*job.documents},
        session_{session},
        reader_{options_, job.records->missing, std::move(finder)},
        editor_{options_, reader_, !job.count && !session.globals.json} {}

  Status run() {
    job_.records->input.threads = session_.globals.threads;
    auto inputs = find_inputs(*job_.files, *job_.records);
    if (!inputs) return inputs.error();
    inputs_ = std::move(*inputs);
    if (auto fits = refuse_own_output(STDOUT_FILENO, inputs_); !fits) return fits;
    if (auto fits = refuse_as_output(job_.seen->save, inputs_); !fits) return fits;
    if (auto fits = check_output(); !fits) return fits;
    if (auto opened = open(); !opened || session_.exit_code != kExitSuccess) return opened;
    if (job_.explain) return explain();
    auto output = Destination::open(*job_.output);
    if (!output) return output.error();
    output_.emplace(std::move(*output));
    auto done = read_all();
    if (!done || session_.exit_code != kExitSuccess) output_->abandon();
    return done;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool saves() const { return !job_.seen->save.empty(); }
  bool prints() const { return !job_.count && !session_.globals.json; }

  Status check_output() const {
    const std::string& path = job_.output->path;
    if ((!path.empty() || job_.output->compression) && !prints() && !job_.explain)
      return Error{ErrorCode::kInvalidArgument,
                   message(path.empty() ? "--compress" : "--output", " takes the documents, but ",
                           session_.globals.json ? "--json" : "--count",
                           " prints none; leave one of them out")};
    if (path.empty()) return ok();
    if (path == job_.seen->save)
      return Error{ErrorCode::kInvalidArgument,
                   message(path, ": it is given both to --output and to --save")};
    return refuse_destination(path, files_read(*job_.seen, *job_.records, inputs_));
  }

  Status read_all() {
    Progress progress{session_.globals, total_bytes(inputs_), "documents"};
    for (const InputFile& file : inputs_)
      if (auto done = read_file(file, progress); !done) return done;
    progress.finish();
    return finish();
  }

  Status open() {
    const SizingRequest& sizing = job_.seen->filter.create.sizing;
    std::optional<std::uint64_t> counted;
    const bool is_sized = sizing.keys || sizing.bits || sizing.blocks;
    if (!is_sized || job_.explain) {
      const auto estimate = estimate_keys(inputs_, reader_);
      if (!estimate) return estimate.error();
      estimate_ = *estimate;
    }
    if (estimate_ && !is_sized) {
      counted = estimate_->keys;
      job_.seen->counted_how = estimate_->exact ? "counted" : "estimated from a sample";
    }
    job_.seen->default_rate = kDocumentRate;
    if (saves() && !may_write({job_.seen->save, true}, session_)) return ok();
    seen_ = open_seen_keys(*job_.seen, *job_.records, inputs_, counted, session_);
    if (!seen_) return ok();
    before_ = describe(seen_->filter());
    if (!session_.globals.quiet)
      std::cerr << "bloomery: plan: documents compared by " << rules_sentence(options_.rules)
                << " (" << unicode_library() << ")" << expected_sentence() << "; about "
                << format_bytes(before_.bytes + kBufferBytes) << " in all with buffers\n";
    return check_signatures();
  }

  std::string expected_sentence() const {
    if (!before_.goal || before_.layout == "scalable" || session_.locked.lock.held()) return "";
    const auto keys = static_cast<double>(before_.goal->keys);
    return message("; about ", rounded_expectation(planned_wrong_drops(before_, keys)),
                   " keys taken for repeats wrongly");
  }

  Status explain() {
    if (!estimate_ || std::ranges::find(inputs_, "-", &InputFile::path) != inputs_.end())
      return usage_error(
          "--explain reads a sample and leaves the input as it is, so it needs files by name; a "
          "pipe would be used up");
    const DocumentPlan plan{
        .keys = estimate_->keys,
        .keys_are_counted = estimate_->exact,
        .filter = before_,
        .buffers = kBufferBytes,
        .wrongly = planned_wrong_drops(before_, static_cast<double>(estimate_->keys),
                                       job_.seen->filter.create.growth)};
    return write_all(STDOUT_FILENO,
                     bytes_of(session_.globals.json ? plan_json(plan, session_.globals)
                                                    : plan_text(plan, session_.globals)));
  }

  Error other_units(const std::string& path) const {
    return {ErrorCode::kInvalidArgument,
            message(path, ": it does not hold units of ", rules_sentence(options_.rules),
                    "; build it with bloomery dedup --documents --save and the same options")};
  }

  Status check_signatures() {
    const auto texts = signature_keys(options_.rules);
    std::vector<ByteView> keys;
    for (const std::string& key : texts) keys.push_back(bytes_of(key));
    std::vector<std::uint8_t> answers(keys.size());
    const auto all = [&] { return std::ranges::count(answers, 0) == 0; };
    for (std::size_t i = 0; i < job_.seen->against.size(); ++i) {
      if (auto asked = seen_->against()[i].may_contain_batch(keys, answers); !asked)
        return asked.error();
      if (!all()) return other_units(job_.seen->against[i]);
    }
    if (!saves()) return ok();
    if (session_.locked.lock.held()) {
      if (auto asked = may_contain_batch(seen_->filter(), keys, answers); !asked) return asked;
      return all() ? ok() : Status{other_units(job_.seen->save)};
    }
    const auto added = insert_batch(seen_->filter(), keys, answers);
    return added ? ok() : Status{added.error()};
  }

  Status read_file(const InputFile& file, Progress& progress) {
    auto opened = open_input(file);
    if (!opened) return opened.error();
    Input& input = *opened;
    ChunkReader reader{[&](ByteSpan into) { return input.read(into); }, std::byte{'\n'}};
    std::uint64_t records = 0;
    std::uint64_t records_read = 0;
    std::atomic<std::uint64_t> consumed = 0;  // written by the thread that reads
    std::optional<Error> failed;
    Stages stages;
    stages.fill = [&](Chunk& chunk) -> Result<bool> {
      auto there = reader.next(chunk);
      if (!there) return input::at_place(there.error(), input.name(), "record", records_read + 1);
      if (*there) records_read += chunk.records.size();
      consumed = input.consumed_bytes();
      return there;
    };
    stages.decide = [&](Chunk& chunk) -> Status {
      if (failed) return *failed;
      docs_.clear();
      reader_.clear();
      for (const ByteView bytes : chunk.records) {
        Doc doc;
        if (const auto fault = reader_.read(text_of(bytes), doc)) {
          failed = Error{ErrorCode::kInvalidArgument,
                         at_record_byte(input.name(), records + docs_.size() + 1, fault->byte + 1,
                                        fault->why)};
          break;
        }
        docs_.push_back(doc);
      }
      records += docs_.size();
      if (auto done = decide(); !done) return done;
      progress.update(totals_.documents, bytes_before_ + consumed);
      return failed ? Status{*failed} : ok();
    };
    // Reading ahead only: documents are decided in input order.
    if (auto done = run_stages(stages, std::min<std::uint32_t>(session_.globals.threads, 2)); !done)
      return done;
    bytes_before_ += input.consumed_bytes();
    return ok();
  }

  // Compares the documents with what was there before each, and prints them.
  Status decide() {
    keys_.clear();
    for (std::size_t i = 0; i < reader_.units().key_count(); ++i)
      keys_.push_back(bytes_of(reader_.units().key(i)));
    is_new_.assign(keys_.size(), 1);
    const auto taken = seen_->take(keys_, is_new_);
    if (!taken) return taken.error();
    if (auto fits = within_memory(seen_->filter(), session_.globals); !fits) return fits;
    totals_.keys += keys_.size();
    totals_.repeated += keys_.size() - *taken;
    out_.clear();
    for (const Doc& doc : docs_) editor_.settle(doc, is_new_, totals_, out_);
    return output_->write(bytes_of(out_));
  }

  Status finish() {
    DocumentReport report{.totals = totals_,
                          .seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
                          .filter = described_after_work(seen_->filter(), seen_->format()),
                          .against = !job_.seen->against.empty()};
    report.wrongly = expected_collisions(static_cast<double>(totals_.keys - totals_.repeated),
                                         before_, report.filter);
    const std::string text = session_.globals.json ? document_json(report)
                             : job_.count          ? message(totals_.kept, "\n")
                                                   : "";
    if (auto shown = write_all(STDOUT_FILENO, bytes_of(text)); !shown) return shown;
    if (prints())
      if (auto settled = output_->settle(saves() || !job_.output->path.empty()); !settled)
        return settled;
    if (job_.strict && over_design(report.filter)) {
      warn_of_health(job_.seen->save, report.filter, session_.globals);
      session_.exit_code = complain(
          job_.seen->save, "not saved: the filter is over its design, which --strict forbids",
          kExitRefused);
      return ok();
    }
    if (prints())
      if (auto named = output_->publish(); !named) return named;
    if (saves() && !save_filter(job_.seen->save, seen_->format(), seen_->filter(), session_))
      return ok();
    if (job_.stats_fd)
      if (auto told = write_all(static_cast<int>(*job_.stats_fd), bytes_of(document_json(report)),
                                message("--stats-fd ", *job_.stats_fd));
          !told)
        return told;
    if (session_.globals.quiet) return ok();
    std::cerr << "bloomery: " << document_sentence(report) << '\n';
    warn_of_health(job_.seen->save, report.filter, session_.globals);
    return ok();
  }

  const DocumentJob& job_;
  const DocumentOptions& options_;
  Session& session_;
  DocumentReader reader_;
  DocumentEditor editor_;
  Clock::time_point start_ = Clock::now();
  std::vector<InputFile> inputs_;
  std::optional<SeenKeys> seen_;
  std::optional<KeyEstimate> estimate_;
  Description before_;
  DocumentTotals totals_;
  std::uint64_t bytes_before_ = 0;
  std::optional<Destination> output_;
  std::vector<Doc> docs_;
  std::vector<ByteView> keys_;
  std::vector<std::uint8_t> is_new_;
  std::string out_;
};

}  // namespace

void dedup_documents(DocumentJob job, const CommandLine& app, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  if (lacks_input(*job.files, *job.records, app, session)) return;
  if (auto fits = check_document_options(app, *job.documents); !fits) return stop(fits.error());
  if (job.records->missing == MissingKey::kEmpty)
    return stop(usage_error("--missing empty has no effect with --documents; use error or skip"));
  if (auto fits = check_stats_fd(job.stats_fd); !fits) return stop(fits.error());
  if (job.seen->save.empty() && refuse_lock_timeout("there is no --save", session)) return;
  if (needs_file(job.seen->save, "--save takes a file only", session)) return;
  for (const std::string& path : job.seen->against)
    if (path == job.seen->save)
      return stop(usage_error(message(path, ": it is given both to --against and to --save")));
  auto finder = JsonTextFinder::make(job.documents->text, job.documents->attribute);
  if (!finder) return stop(Error{finder.error().code, "--text: " + finder.error().message});
  DocumentRun run{job, std::move(*finder), session};
  if (auto done = run.run(); !done) {
    stop(done.error());
    if (!job.seen->save.empty()) report_not_saved(job.seen->save, session.globals);
  }
}

}  // namespace bloomery::cli
