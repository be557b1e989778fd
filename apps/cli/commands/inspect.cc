#include "apps/cli/leveldb/inspect.h"

#include <iostream>
#include <memory>

#include "apps/cli/filters/description_json.h"
#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/formats/measured_description.h"
#include "bloomery/formats/native/part_file.h"

namespace bloomery::cli {
namespace {

struct InspectOptions {
  std::string file;
  FormatOptions format;
  LevelDbInspectOptions leveldb;
  bool strict = false;
};

std::string known(const std::optional<std::uint64_t>& number) {
  return number ? format_count(*number) : "unknown";
}

std::string times_as_often(const Description& description) {
  if (!description.goal) return "";
  const double times = description.health->error_rate / description.goal->false_positive_rate;
  return message(": its false-positive rate is ", significant(times, 2), " times ",
                 description.goal->keys > 0 ? "its design rate" : "the goal");
}

std::string verdict_in_words(const Description& description) {
  const Health& health = *description.health;
  std::string words{verdict_name(health.verdict)};
  if (health.verdict == Verdict::kOverDesign) words += times_as_often(description);
  if (health.verdict == Verdict::kSaturated)
    words += message(": ", format_probability(health.fill), " of its bits are set");
  if (health.verdict == Verdict::kOk && !description.goal) words += kNoGoal;
  return painted_verdict(health.verdict, words);
}

std::string rate_in_words(const MeasuredDescription& measured) {
  const std::string rate = format_probability(measured.description.health->error_rate);
  if (measured.rate_of_bits)
    return message(rate, " of ", format_count(measured.samples),
                   " absent keys looked up; its bits promise ",
                   format_probability(*measured.rate_of_bits));
  return message(rate, measured.description.health->sampled ? ", from a sample of its bits"
                                                            : ", from its bits");
}

void add_goal(const std::optional<Goal>& goal, Report& report) {
  if (!goal) return;
  const std::string rate = format_probability(goal->false_positive_rate);
  if (goal->keys > 0)
    report.row("designed for", message(format_count(goal->keys), " keys at ", rate));
  else
    report.row("goal", message(rate, ", from --fpr"));
}

void print_columns(const std::vector<ColumnDescription>& columns) {
  if (columns.empty()) return;
  std::vector<std::vector<std::string>> rows{{"  column", "type", "values"}};
  for (const ColumnDescription& column : columns)
    rows.push_back({"  " + column.name, column.type, format_count(column.values)});
  std::cout << '\n';
  print_table(rows, 2);
}

void print_for_people(const std::string& path, const MeasuredDescription& measured,
                      std::string_view checksum) {
  const Description& description = measured.description;
  std::cout << name_without_secrets(path) << '\n';
  Report report;
  report.row("format", description.format);
  report.row("layout", description.layout);
  report.row("dialect", description.dialect);
  if (description.bits) report.row("bits", format_count(*description.bits));
  if (description.probes) report.row("probes", std::to_string(*description.probes));
  report.row("memory", format_bytes(description.bytes));
  add_goal(description.goal, report);
  report.row("keys inserted", known(description.keys_inserted));
  if (description.health) {
    report.row("estimated keys", format_count(description.health->estimated_keys));
    report.row("fill", format_probability(description.health->fill));
    report.row("false positives", rate_in_words(measured));
    report.row("health", verdict_in_words(description));
  }
  report.row("checksum", std::string{checksum});
  report.print();
  print_layers(description.layers);
  print_columns(description.columns);
  for (const std::string& note : description.notes) std::cout << "\n  Note: " << note << ".\n";
}

int inspect(const InspectOptions& options, Session& session) {
  if (leveldb_kind_of(options.file, options.format) != LevelDbKind::kNone)
    return inspect_leveldb(options.file, options.format, options.leveldb, options.strict, session);
  if (options.leveldb.quick)
    return complain(options.file, "--quick works on LevelDB tables and databases only", kExitUsage);
  MeasuredDescription measured;
  std::string_view checksum = "ok for the manifest and headers; verify reads all";
  if (options.format.format == "auto" && is_filter_set(options.file)) {
    const auto set = open_set(options.file, options.format, session);
    if (!set) return session.exit_code;
    auto description = set->describe();
    if (!description) return complain_of_filter(options.file, description.error());
    measured.description = std::move(*description);
  } else if (is_part_file(options.file)) {
    const auto decode = decode_options(options.format, session);
    if (!decode) return session.exit_code;
    const auto part = load_native_part(options.file, *decode);
    if (!part) return complain_of_filter(options.file, part.error());
    measured.description = describe(*part);
    checksum = "ok";
  } else {
    auto opened = open_filter(options.file, options.format, session);
    if (!opened) return session.exit_code;
    measured = describe_measured(opened->filter);
    checksum = has_verified_checksum(*opened, measured.description) ? "ok" : "none in this format";
  }
  judge_by(options.format.sizing.rate, measured.description);
  if (session.globals.json) {
    std::cout << description_json(measured.description).dump() << '\n';
  } else {
    print_for_people(options.file, measured, checksum);
  }
  const auto& health = measured.description.health;
  if (!options.strict || !health || health->verdict == Verdict::kOk) return kExitSuccess;
  return complain(
      options.file,
      message("the filter is ", verdict_name(health->verdict), "; --strict demands ",
              "a healthy one. Its false-positive rate is ", format_probability(health->error_rate)),
      kExitRefused);
}

}  // namespace

void attach_inspect(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery inspect seen.bloom                what it is, and how healthy\n"
      "  bloomery inspect --json seen.bloom | jq .estimated_fpr\n"
      "  bloomery inspect --strict seen.bloom       exit 4 if it is over its design\n"
      "  bloomery inspect --fpr 1% a.guava          a goal for a file that stores none\n"
      "  bloomery inspect redis://localhost/seen    one that a Redis server holds\n"
      "  bloomery inspect --format go-bloom --keys 10k --fpr 1% bits.bin\n"
      "  bloomery inspect 000005.ldb                a LevelDB table, each key looked up\n"
      "  bloomery inspect /var/lib/app/db           a LevelDB database, read only\n"
      "  bloomery inspect data.parquet              the columns of a Parquet file, and their "
      "filters\n");
  auto options = std::make_shared<InspectOptions>();
  options->format.rate_is_goal = true;
  subcommand
      .add_option("FILE", options->file,
                  "The filter file, the manifest (.bloomset) of its parts, https://host/path of "
                  "either, redis://host:port/key, or the folder of a LevelDB database")
      ->required();
  subcommand.add_flag("--strict", options->strict,
                      "Exit with 4 if the filter is over its design or saturated");
  add_format_options(subcommand, options->format);
  add_leveldb_inspect_options(subcommand, options->leveldb);
  subcommand.action([options, &session] { session.exit_code = inspect(*options, session); });
}

}  // namespace bloomery::cli
