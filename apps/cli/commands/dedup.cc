#include <memory>

#include "apps/cli/dedup/options.h"
#include "apps/cli/dedup/run.h"
#include "apps/cli/documents/options.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/parts/dedup_part.h"
#include "apps/cli/parts/part_option.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDedupExamples =
    "Examples:\n"
    "  bloomery dedup urls.txt > once.txt               each line the first time it is seen\n"
    "  tail -f log | bloomery dedup -f 3                the first line with each third column\n"
    "  bloomery dedup --csv -f email users.csv          the first row with each address\n"
    "  bloomery dedup --exact urls.txt > once.txt       as awk '!x[$0]++', in far less memory\n"
    "  bloomery dedup --save seen.bloom today.txt       only what no earlier run has printed\n"
    "  bloomery dedup --against old.bloom new.txt       only what another filter does not contain\n"
    "  bloomery dedup -c urls.txt                       how many different lines\n"
    "  bloomery dedup --dupes again.txt urls.txt        the repeats into a file of their own\n"
    "  bloomery dedup --count-each urls.txt             each line once, after how often it occurs\n"
    "  bloomery dedup --keep last -f 1 states.tsv       the last line with each first column\n"
    "  bloomery dedup --explain -p 1e-6 urls.txt        memory, time and errors of such a run\n"
    "  bloomery dedup --save s.bloom --checkpoint 1M -o once.txt.zst urls.txt    goes on after a "
    "kill\n"
    "  bloomery dedup -c --column user_id a.parquet     how many different values of a column\n"
    "  bloomery dedup --part 3/8 -n 1G urls.txt > once.3   one of eight parts, each in 1/8 of the "
    "memory\n"
    "  bloomery dedup --documents --unit paragraph a.jsonl    documents without old paragraphs\n";

void add_dedup_options(CommandLine& app, DedupOptions& options) {
  constexpr const char* kSeen = "What counts as seen";
  constexpr const char* kOutput = "Output";
  app.add_list("--against", options.seen.against,
               "Drop records that this filter may contain; it is only read. May be repeated")
      ->value_name("FILTER")
      ->group(kSeen);
  app.add_option("--against-format", options.seen.against_format,
                 "Format of the filters of --against (default: auto, recognised by the first "
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
  app.add_option("--keep", Option::Store{[&options](const std::string& which) {
                   options.keep_last = which == "last";
                   return ok();
                 }},
                 "Which of equal records stays: first (default) or last. With last the input is "
                 "read twice (a pipe is copied to TMPDIR first), repeated keys take 16 to 32 bytes "
                 "of memory each, and --against or an existing --save cannot be used")
      ->choices({"first", "last"})
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
  app.add_flag("--count-each", options.count_each,
               "Print each different record once, in the order of first occurrence, after the "
               "number of its occurrences and a tab (of CSV: a column \"count\"); with -d only "
               "records that occur more than "
               "once. Reads the input twice, as --keep last does. Keys are compared by "
               "fingerprints of 64 bits; the summary says how many wrong counts to expect")
      ->group(kOutput);
  auto* mark =
      app.add_flag("--mark", options.mark,
                   "Print every record after \"new\" or \"repeat\" and a tab; of CSV, in a "
                   "column \"mark\" before the others")
          ->group(kOutput);
  app.add_option("--mark-name", Option::Store{[&options](const std::string& name) {
                   options.mark = true;
                   options.mark_name = name;
                   return ok();
                 }},
                 "With --json-key: print every record, a JSON object, with one member more of this "
                 "name, \"new\" or \"repeat\". With --csv or --tsv: --mark, with this name for the "
                 "column")
      ->value_name("NAME")
      ->not_empty()
      ->group(kOutput)
      ->excludes(mark);
  app.add_option("-o,--output", Option::Store{[&options](const std::string& path) {
                   options.output.path = path == "-" ? "" : path;
                   return ok();
                 }},
                 "Print the records to this file instead of standard output (-). It is written as "
                 "FILE.partial and renamed when it is complete")
      ->value_name("FILE")
      ->group(kOutput);
  app.add_flag("--force", options.output.force, "Replace the file of -o if it exists")
      ->group(kOutput);
  app.add_option("--compress", Option::Store{[&options](const std::string& name) {
                   options.output.compression = name == "zstd"   ? OutputCompression::kZstd
                                                : name == "gzip" ? OutputCompression::kGzip
                                                                 : OutputCompression::kNone;
                   return ok();
                 }},
                 "Compress the records of -o and of --dupes: zstd, gzip or none (default: by the "
                 "end of the file's name, .zst or .gz)")
      ->choices({"zstd", "gzip", "none"})
      ->group(kOutput);
  app.add_option("--checkpoint", Option::Store{[&options](const std::string& text) {
                   const auto interval = parse_interval(text);
                   if (!interval) return Status{interval.error()};
                   options.checkpoint = *interval;
                   return ok();
                 }},
                 "Keep the state in FILE.checkpoint beside the file of -o, every so many records "
                 "(1M) or bytes of input (1GiB). After a kill the same command goes on from there, "
                 "with the same output. Needs --save, -o and regular files")
      ->value_name("N")
      ->group(kOutput);
  app.add_flag("--explain", options.explain,
               "Print what the run would cost (memory, wrong drops, time by a trial on a sample) "
               "and which option halves each; write nothing. With --json: one object")
      ->group(kOutput);
  app.add_option("--dupes", options.dupes, "Write the repeats to this file, which is replaced")
      ->value_name("FILE")
      ->group(kOutput);
  app.add_count("--stats-fd", options.stats_fd,
                "Write the summary as one line of JSON to this open file descriptor at the end")
      ->value_name("N")
      ->group(kOutput);
}

void run_dedup(DedupOptions& options, DocumentOptions& documents,
               const std::optional<bloomery::Part>& part, const CommandLine& app,
               Session& session) {
  if (documents.enabled && !part)
    return dedup_documents(
        {&documents, &options.files, &options.seen, &options.records, &options.output,
         options.count, options.strict, options.explain, options.stats_fd},
        app, session);
  if (lacks_input(options.files, options.records, app, session)) return;
  if (part) {
    session.exit_code = dedup_part(options, *part, app, session);
    return;
  }
  dedup_records(options, given_options(app), session);
}

}  // namespace

void attach_dedup(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<DedupOptions>();
  subcommand.examples(kDedupExamples);
  add_record_files(subcommand, options->files);
  add_dedup_options(subcommand, *options);
  add_record_options(subcommand, options->records);
  options->records.prints_without_key = options->records.prints_rows = true;
  add_new_filter_options(subcommand, options->seen.filter);
  subcommand.find_option("--fpr")->help(
      "False-positive rate when that many keys are in (default: 0.01%; with --exact: 1%)");
  subcommand.find_option("--layout")
      ->help(
          "Memory layout (default: auto, which is block, the fastest, or lines, two to four cache "
          "lines per key, for rates below 0.005 %)");
  add_lock_option(subcommand, session.globals);
  auto documents = std::make_shared<DocumentOptions>();
  add_document_options(subcommand, *documents);
  auto part = std::make_shared<std::optional<bloomery::Part>>();
  add_part_option(subcommand, *part,
                  "Print only records of one part of all keys, from 0/N to N-1/N, in 1/N of the "
                  "memory; all parts together print what one run would. --keys is the number of "
                  "keys of all parts")
      ->group("What counts as seen");
  subcommand.action([options, documents, part, &subcommand, &session] {
    run_dedup(*options, *documents, *part, subcommand, session);
  });
}

}  // namespace bloomery::cli
