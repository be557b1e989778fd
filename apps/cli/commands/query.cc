// bloomery query: which records may be members of a filter. Options and exit codes are those of
// grep where grep has them.
#include "apps/cli/leveldb/query.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mutex>

#include "apps/cli/filters/queryable_filter.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"
#include "apps/cli/shell/standard_output.h"
#include "apps/cli/track/tracker_query.h"

namespace bloomery::cli {
namespace {

constexpr const char* kQueryExamples =
    "Examples:\n"
    "  bloomery query seen.bloom new.txt            the lines that may be in the filter\n"
    "  bloomery query -v seen.bloom new.txt         the lines that are certainly not\n"
    "  bloomery query -c seen.bloom new.txt         how many\n"
    "  bloomery query --label seen.bloom new.txt    every line, with maybe or no before it\n"
    "  bloomery query --csv -f email seen.bloom users.csv   rows of CSV, by a column of theirs\n"
    "  bloomery query -f 2 --emit-field seen.bloom new.txt  the second field of the lines\n"
    "  bloomery query --tables /var/lib/app/db keys.txt   in which tables of a LevelDB database\n"
    "  if echo \"$url\" | bloomery query --silent seen.bloom; then echo known; fi\n"
    "  bloomery query redis://localhost/seen new.txt     a filter in a Redis server\n"
    "  bloomery query https://host/seen.bloom new.txt    fetches only what the keys need\n"
    "  bloomery query -c --column user_id seen.bloom a.parquet   values of a Parquet column\n"
    "  bloomery query seen.bloomset new.txt         a filter in parts: reads those that it needs\n";

struct LookupOptions : RecordCommand {
  PathOptions paths;
  TablesOptions tables;
  bool invert = false;
  bool count = false;
  bool line_number = false;
  bool label = false;
  bool silent = false;
  bool emit_field = false;
};

class Query {
 public:
  // The tracker is null unless the records are paths, the database without --tables.
  Query(const LookupOptions& options, const QueryableFilter& filter, const MinioTracker* tracker,
        const LevelDbDatabase* database, const Globals& globals)
      : options_{options},
        filter_{filter},
        tracker_{tracker},
        database_{database},
        globals_{globals} {}

  Result<bool> operator()(const Batch& batch) {
    ask(batch);
    out_.clear();
    auto kept = batch.kept.begin();
    for (std::size_t i = 0; i < batch.records.size(); ++i) {
      const std::uint64_t number = batch.number(i);
      for (; kept != batch.kept.end() && batch.first_number + kept->place < number; ++kept)
        append_kept(batch.first_number + kept->place, kept->row);
      const bool maybe = answers_[i] != 0;
      if (maybe != options_.invert) ++selected_;
      if (!prints_records() || !(options_.label || maybe != options_.invert)) continue;
      if (auto fits = check_part(batch, i); !fits) {
        if (auto written = write_out(); !written) return written.error();
        return fits.error();
      }
      append(number, options_.emit_field ? batch.parts[i] : batch.records[i], i, batch.records[i]);
    }
    for (; kept != batch.kept.end(); ++kept)
      append_kept(batch.first_number + kept->place, kept->row);
    if (auto written = write_out(); !written) return written.error();
    return !(options_.silent && !globals_.json && selected_ > 0);
  }
  std::uint64_t selected() const { return selected_; }
  // Trackers and the places in a database answer with more than yes and no.
  bool answers_itself() const { return tracker_ != nullptr || database_ != nullptr; }

  // Whether the filter may hold the keys; by many threads at once.
  Status look_up(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const {
    const auto asked = filter_.may_contain_batch(keys, answers);
    if (asked) return ok();
    // Of a web address, the error may name it already, without its secrets.
    if (asked.error().message.starts_with(name_without_secrets(options_.filter) + ": "))
      return asked.error();
    return Error{asked.error().code, message(options_.filter, ": ", asked.error().message)};
  }

  // The header of CSV, with names for the columns that are put before it.
  Status print_preamble(const CsvPreamble& preamble) {
    if (!prints_records() || globals_.json) return ok();
    out_ = preamble.mark;
    if (!preamble.header.empty()) {
      const std::pair<bool, std::string_view> columns[] = {{options_.line_number, "row"},
                                                           {options_.label, "label"},
                                                           {database_ != nullptr, "tables"},
                                                           {tracker_ != nullptr, "cycle"}};
      for (const auto& [is_printed, name] : columns) {
        if (!is_printed) continue;
        if (auto fits = check_new_column(preamble, name); !fits) return fits;
        begin_column(name);
      }
      out_ += options_.emit_field ? preamble.chosen : preamble.header;
    }
    return write_out();
  }

 private:
  bool reads_csv() const { return options_.records.csv.has_value(); }
  // What stands before a record: the separator of CSV follows, or `end`.
  void begin_column(std::string_view text, std::string_view end = "\t") {
    if (!reads_csv()) {
      out_ += text;
      out_ += end;
      return;
    }
    const CsvDialect dialect = options_.records.csv->dialect;
    std::vector<std::byte> field;
    append_as_field(bytes_of(text), dialect, field);
    out_ += text_of(field);
    out_ += static_cast<char>(dialect.separator);
  }

  // A JSON string or a value of a column may hold the end of a record.
  Status check_part(const Batch& batch, std::size_t i) const {
    const bool is_value = !options_.records.input.column.empty();
    if ((!options_.emit_field && !is_value) || reads_csv()) return ok();
    const std::byte end = options_.records.delimiter;
    const ByteView printed = options_.emit_field ? batch.parts[i] : batch.records[i];
    if (std::ranges::find(printed, end) == printed.end()) return ok();
    if (is_value)
      return Error{ErrorCode::kInvalidArgument,
                   message(batch.file, ": a value of the column contains the delimiter, and would ",
                           "be printed as two records; choose another (-z, or -D)")};
    return Error{ErrorCode::kInvalidArgument,
                 message(batch.file, ": record ", batch.number(i),
                         ": its key holds the byte that ends records, and --emit-field would print "
                         "it as two; leave --emit-field out")};
  }

  // A malformed row, which --on-error keep prints in its place.
  void append_kept(std::uint64_t number, ByteView row) {
    if (!prints_records() || globals_.json) return;
    if (options_.line_number) begin_column(std::to_string(number));
    if (options_.label) begin_column("malformed");
    if (database_ != nullptr) begin_column("");
    if (tracker_ != nullptr) begin_column("");
    out_ += text_of(row);
    out_ += '\n';
  }

  bool prints_records() const {
    return !options_.silent && !options_.count && (!globals_.json || database_ != nullptr);
  }

  void ask(const Batch& batch) {
    answers_ = batch.answers;
    if (!answers_itself()) return;
    own_answers_.assign(batch.keys.size(), 0);
    answers_ = own_answers_;
    if (database_ != nullptr) return find_places(batch.keys);
    cycles_.assign(batch.keys.size(), std::nullopt);
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      cycles_[i] = cycle_of_path(*tracker_, options_.paths, text_of(batch.keys[i]));
      own_answers_[i] = cycles_[i] ? 1 : 0;
    }
  }
  void find_places(std::span<const ByteView> keys) {
    places_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      database_->find_places(keys[i], places_[i]);
      own_answers_[i] = places_[i].empty() ? 0 : 1;
    }
  }

  // `shown` is the record, or the part of it that is printed.
  void append(std::uint64_t number, ByteView shown, std::size_t i, ByteView record) {
    if (database_ != nullptr && globals_.json) {
      out_ += places_json(number, shown, places_[i]);
      return;
    }
    if (options_.line_number) begin_column(std::to_string(number), ":");
    if (options_.label) begin_column(answers_[i] != 0 ? "maybe" : "no");
    if (database_ != nullptr) begin_column(places_in_words(places_[i]));
    if (tracker_ != nullptr && (cycles_[i] || reads_csv()))
      begin_column(cycles_[i] ? std::to_string(*cycles_[i]) : "");
    out_ += text_of(shown);
    // A row keeps the CR that is its last byte.
    if (reads_csv() && options_.emit_field && text_of(record).ends_with('\r')) out_ += '\r';
    out_ += static_cast<char>(options_.records.delimiter);
  }

  // Flushed batch by batch: the reader of the pipe sees an answer as soon as there is one.
  Status write_out() {
    if (out_.empty()) return ok();
    std::cout.write(out_.data(), static_cast<std::streamsize>(out_.size())).flush();
    if (std::cout) return ok();
    return Error{ErrorCode::kIo, output_failure()};
  }

  const LookupOptions& options_;
  const QueryableFilter& filter_;
  const MinioTracker* tracker_;
  const LevelDbDatabase* database_;
  const Globals& globals_;
  std::uint64_t selected_ = 0;
  std::span<const std::uint8_t> answers_;  // of the batch
  std::vector<std::uint8_t> own_answers_;
  std::vector<std::optional<std::uint64_t>> cycles_;
  std::vector<LevelDbPlaces> places_;
  std::string out_;
};

// Options that say how records are printed, where none is.
Status check_output_options(const LookupOptions& options, const Globals& globals) {
  const auto unused = [](std::string_view option, std::string_view why) {
    return Error{ErrorCode::kInvalidArgument,
                 message(option, " formats printed records, but ", why, "; leave one of them out")};
  };
  constexpr std::string_view kCount = "--count prints only their number";
  if (options.count && options.line_number) return unused("--line-number", kCount);
  if (options.count && options.label) return unused("--label", kCount);
  if (options.count && options.emit_field) return unused("--emit-field", kCount);
  if (!globals.json) return ok();
  if (options.tables.tables) {
    if (!options.line_number) return ok();
    return unused("--line-number", "--json prints the number of each record anyway");
  }
  constexpr std::string_view kJson = "--json prints only a summary";
  if (options.line_number) return unused("--line-number", kJson);
  if (options.emit_field) return unused("--emit-field", kJson);
  return options.label ? Status{unused("--label", kJson)} : ok();
}

// Health is reported where it costs nothing beyond reading the file, or with --json.
Result<std::optional<Description>> describe_if_cheap(const QueryableFilter& filter,
                                                     const Globals& globals) {
  if (filter.is_mapped() && !globals.json) return std::optional<Description>{};
  auto description = filter.described();
  if (!description) return description.error();
  return std::optional{std::move(*description)};
}

void answer(const LookupOptions& options, const QueryableFilter& filter,
            const std::vector<InputFile>& inputs, Session& session) {
  const Globals& globals = session.globals;
  const auto tracker = queried_tracker(filter.in_memory(), options.paths);
  if (!tracker) {
    session.exit_code = complain(options.filter, tracker.error(), Blame::kArguments);
    return;
  }
  const auto database = queried_database(filter, options.tables);
  if (!database) {
    session.exit_code = complain(options.filter, database.error(), Blame::kArguments);
    return;
  }
  if (filter.database() != nullptr) warn_of_database(options.filter, *filter.database(), globals);
  const auto described = describe_if_cheap(filter, globals);
  if (!described) {
    session.exit_code = complain(options.filter, described.error(), Blame::kFilterFile);
    return;
  }
  const std::optional<Description>& description = *described;
  if (description) warn_of_health(options.filter, *description, globals);
  RecordOptions records = options.records;
  // Only rows that are printed whole must fit under the header.
  if (records.csv)
    records.csv->prints_rows =
        !options.emit_field && !options.count && !options.silent && !globals.json;
  if (options.emit_field &&
      (records.funnel == FunnelName::kJson || (records.json_key && records.json_key->size() > 1))) {
    session.exit_code = complain(
        "",
        usage_error("--emit-field prints one value as text; with several of --json-key or with "
                    "keys of the funnel json, leave it out"),
        Blame::kArguments);
    return;
  }
  KeyReader keys{std::move(records), byte_order_of(filter.format_name())};
  if (options.emit_field) keys.keep_parts();
  Query query{options, filter, *tracker, *database, globals};
  BatchSteps steps{std::ref(query),
                   [&](const CsvPreamble& preamble) { return query.print_preamble(preamble); }};
  // A connection to a server takes one request at a time.
  std::mutex connection;
  if (!query.answers_itself())
    steps.answer = [&](std::span<const ByteView> asked, std::span<std::uint8_t> answers) {
      std::unique_lock lock{connection, std::defer_lock};
      if (filter.is_remote()) lock.lock();
      return query.look_up(asked, answers);
    };
  const auto totals = for_each_batch(inputs, keys, globals, steps);
  if (!totals) {
    session.exit_code = complain("", totals.error(), Blame::kArguments);
    return;
  }
  // What was cut off of a part in the meantime was read as zeros: as keys that are absent.
  if (const FilterSet* parts = filter.set())
    if (auto whole = parts->check_size(); !whole) {
      session.exit_code = complain(options.filter, whole.error(), Blame::kFilterFile);
      return;
    }
  if (globals.json)
    std::cout << summary_json({.records = totals->records,
                               .selected = query.selected(),
                               .seconds = totals->seconds,
                               .filter = *description,
                               .skipped = totals->skipped,
                               .malformed = totals->malformed});
  else if (options.count && !options.silent)
    std::cout << query.selected() << '\n';
  if (totals->skipped > 0 && !globals.quiet)
    std::cerr << "bloomery: " << skipped_sentence(totals->skipped) << '\n';
  if (totals->malformed.value_or(0) > 0 && !globals.quiet)
    std::cerr << "bloomery: "
              << malformed_sentence(*totals->malformed,
                                    options.records.csv->on_error == OnError::kKeep
                                        ? "printed as they are"
                                        : "left out")
              << '\n';
  session.exit_code = query.selected() > 0 ? kExitSuccess : kExitNothingSelected;
}

void run(LookupOptions& options, const CommandLine& app, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  if (lacks_input(options.files, options.records, app, session)) return;
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  if (auto fits = check_output_options(options, session.globals); !fits) return stop(fits.error());
  auto not_to_write = *inputs;
  not_to_write.push_back({options.filter, std::nullopt});
  if (auto other = refuse_own_output(STDOUT_FILENO, not_to_write); !other)
    return stop(other.error());
  const auto filter = QueryableFilter::open(options.filter, options.format, session);
  if (!filter) return;
  if (auto fits = check_funnel(options.records, filter->format_name()); !fits)
    return stop(fits.error());
  if (auto fits = adopt_funnel(options.records, filter->funnel()); !fits) return stop(fits.error());
  answer(options, *filter, *inputs, session);
}

}  // namespace

void attach_query(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<LookupOptions>();
  subcommand.examples(kQueryExamples);
  constexpr const char* kGroup = "Output";
  auto* invert = subcommand.add_flag("-v,--invert", options->invert,
                                     "Print the records that are certainly not members");
  invert->group(kGroup);
  subcommand.add_flag("-c,--count", options->count, "Print only the number of selected records")
      ->group(kGroup);
  subcommand
      .add_flag("--line-number", options->line_number,
                "Print the number of each record in its file and a colon before it; of CSV, in a "
                "column \"row\" before the others; the header is row 1")
      ->group(kGroup);
  subcommand
      .add_flag("--label", options->label,
                "Print every record after \"maybe\" or \"no\" and a tab; of CSV, in a column "
                "\"label\" before the others")
      ->excludes(invert)
      ->group(kGroup);
  subcommand
      .add_flag("--emit-field", options->emit_field,
                "Print the key instead of the record: the fields of -f with their separator, as "
                "they are written, or the value at --json-key")
      ->group(kGroup);
  subcommand
      .add_flag(
          "--silent", options->silent,
          "Print no records: only the exit code tells, and reading stops at the first selected "
          "record, as with grep -q. With --json all is read, and the summary is printed")
      ->group(kGroup);
  add_record_command(
      subcommand, *options,
      "The filter: a file, the manifest (.bloomset) of its parts, https://host/path of either, "
      "redis://host:port/key, or the folder of a LevelDB database");
  options->records.prints_rows = true;
  subcommand.check([options_ = options.get()]() -> Status {
    const RecordOptions& records = options_->records;
    if (!options_->emit_field || !records.fields.empty() || records.json_key || records.csv)
      return ok();
    return usage_error("--emit-field needs --field, --json-key, --csv or --tsv");
  });
  add_path_options(subcommand, options->paths);
  add_tables_options(subcommand, options->tables);
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
