#include "apps/cli/records/csv_options.h"

#include <algorithm>

#include "apps/cli/shell/exit_code.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCsvGroup = "CSV";

// What --csv and --tsv decide themselves.
constexpr const char* kOptionsOfLines[] = {"--null",    "--delimiter", "--crlf",   "--json-key",
                                           "--missing", "--quotes",    "--column", "--json-typed"};

OnError on_error_of(const std::string& name) {
  if (name == "skip") return OnError::kSkip;
  return name == "keep" ? OnError::kKeep : OnError::kStop;
}

Status check_on_error(const CsvOptions& csv, const CommandLine& app, const RecordOptions& options) {
  if (csv.on_error != OnError::kKeep || options.prints_rows) return ok();
  return usage_error(message("--on-error keep prints malformed rows, but ", app.name(),
                             " prints none; --on-error skip leaves them out"));
}

Status check_names(const CsvOptions& csv) {
  if (csv.has_header) return ok();
  for (const ColumnChoice& choice : csv.choices)
    if (!choice.range)
      return usage_error(message("--field: '", choice.text,
                                 "' is not a number such as 1 or 3-5, and with --no-header columns "
                                 "have no names"));
  return ok();
}

Status complete_csv(const CommandLine& app, RecordOptions& options) {
  if (!reads_csv(app)) {
    for (const char* name : {"--no-header", "--on-error"})
      if (app.find_option(name)->given())
        return usage_error(message(name, " needs --csv or --tsv"));
    if (app.find_option("--separator")->given() && !app.find_option("--field")->given())
      return usage_error("--separator needs --field or --csv");
    return ok();
  }
  const bool is_tsv = app.find_option("--tsv")->given();
  CsvOptions& csv = *options.csv;
  csv.dialect.quotes = !is_tsv;
  csv.dialect.separator = is_tsv                                    ? std::byte{'\t'}
                          : app.find_option("--separator")->given() ? options.separator
                                                                    : std::byte{','};
  csv.prints_rows = options.prints_rows;
  if (auto fits = check_separator(csv.dialect.separator); !fits) return fits;
  if (auto fits = check_on_error(csv, app, options); !fits) return fits;
  return check_names(csv);
}

CsvOptions& csv_of(RecordOptions& options) {
  if (!options.csv) options.csv.emplace();
  return *options.csv;
}

}  // namespace

bool reads_csv(const CommandLine& app) {
  return std::ranges::any_of(std::initializer_list<const char*>{"--csv", "--tsv"},
                             [&](const char* name) {
                               const Option* option = app.find_option(name);
                               return option != nullptr && option->given();
                             });
}

Status store_columns(const std::string& list, RecordOptions& options) {
  auto choices = parse_columns(list);
  if (!choices) return choices.error();
  csv_of(options).choices = std::move(*choices);
  return ok();
}

void add_csv_options(CommandLine& app, RecordOptions& options) {
  const auto begin_csv = [&options] { (void)csv_of(options); };
  auto* csv = app.add_flag(
      "--csv", Callback<void()>{begin_csv},
      "Records are rows of CSV (RFC 4180): a quoted field may hold separators, doubled quotes and "
      "newlines; rows end in LF or CR LF; the first row names the columns. The key is the value "
      "without its quotes; without -f, all columns. Several columns are joined by the separator, "
      "in the order of -f, and values that hold it, a quote or a newline are quoted in the key");
  auto* tsv = app.add_flag(
      "--tsv", Callback<void()>{begin_csv},
      "Records are rows of TSV (IANA text/tab-separated-values): as --csv with tabs, but without "
      "quoting: a double quote is an ordinary character. For tabs with quotes: --csv -t '\\t'");
  csv->excludes(tsv)->group(kCsvGroup);
  tsv->excludes(app.find_option("--separator"))->group(kCsvGroup);
  for (const char* name : kOptionsOfLines) {
    csv->excludes(app.find_option(name));
    tsv->excludes(app.find_option(name));
  }
  app.add_flag("--no-header", Callback<void()>{[&options] { csv_of(options).has_header = false; }},
               "The first row is a row as the others; -f takes numbers only")
      ->group(kCsvGroup);
  app.add_option("--on-error", Option::Store{[&options](const std::string& name) {
                   csv_of(options).on_error = on_error_of(name);
                   return ok();
                 }},
                 "What to do with a malformed row (a quote inside an unquoted field, text behind a "
                 "closing quote, a quote that is not closed, another number of columns than the "
                 "header): stop (default: exit with 2 after the rows before it, and save no "
                 "filter), skip (leave it out) or keep (dedup and query print it; it has no key). "
                 "The first are named on stderr, all are counted")
      ->choices({"stop", "skip", "keep"})
      ->group(kCsvGroup);
  app.check([&app, &options] { return complete_csv(app, options); });
}

}  // namespace bloomery::cli
