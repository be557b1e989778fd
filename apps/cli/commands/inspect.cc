#include "apps/cli/leveldb/inspect.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "apps/cli/filters/description_json.h"
#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/shell/help.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/redis_client.h"
#include "apps/cli/shell/short_number.h"
#include "bloomery/formats/measured_description.h"

namespace bloomery::cli {
namespace {

struct InspectOptions {
  std::string file;
  FormatOptions format;
  LevelDbInspectOptions leveldb;
  bool strict = false;
};

std::string known(const std::optional<std::uint64_t>& number) {
  return number ? grouped(*number) : "unknown";
}

std::string times_as_often(const Description& description) {
  if (!description.goal) return "";
  const double times = description.health->error_rate / description.goal->false_positive_rate;
  return message(": errs ", significant(times, 2), " times as often as it was made for");
}

std::string verdict_in_words(const Description& description) {
  const Health& health = *description.health;
  std::string words{verdict_name(health.verdict)};
  if (health.verdict == Verdict::kOverDesign) words += times_as_often(description);
  if (health.verdict == Verdict::kSaturated)
    words += message(": ", format_probability(health.fill), " of its bits are set");
  return painted_verdict(health.verdict, words);
}

std::string rate_in_words(const MeasuredDescription& honest) {
  const std::string rate = format_probability(honest.description.health->error_rate);
  if (honest.rate_of_bits)
    return message(rate, " of ", grouped(honest.samples), " absent keys, asked; its bits promise ",
                   format_probability(*honest.rate_of_bits));
  return message(
      rate, honest.description.health->sampled ? ", from a sample of its bits" : ", from its bits");
}

void print_for_people(const std::string& file, const MeasuredDescription& honest) {
  const Description& description = honest.description;
  std::cout << without_password(file) << '\n';
  Report report;
  report.row("format", description.format);
  report.row("layout", description.layout);
  report.row("dialect", description.dialect);
  if (description.bits) report.row("bits", grouped(*description.bits));
  if (description.probes) report.row("probes", std::to_string(*description.probes));
  report.row("memory", format_bytes(description.bytes));
  if (description.goal)
    report.row("made for", message(grouped(description.goal->keys), " keys at ",
                                   format_probability(description.goal->false_positive_rate)));
  report.row("keys inserted", known(description.keys_inserted));
  if (description.health) {
    report.row("estimated keys", whole_number(description.health->estimated_keys));
    report.row("fill", format_probability(description.health->fill));
    report.row("error rate", rate_in_words(honest));
    report.row("health", verdict_in_words(description));
  }
  report.row("checksum", description.has_checksum ? "ok" : "none in this format");
  report.print();
  print_layers(description.layers);
  for (const std::string& note : description.notes) std::cout << "\n  Note: " << note << ".\n";
}

int inspect(const InspectOptions& options, Session& session) {
  if (leveldb_kind_of(options.file, options.format) != LevelDbKind::kNone)
    return inspect_leveldb(options.file, options.format, options.leveldb, options.strict, session);
  if (options.leveldb.quick)
    return complain(options.file,
                    "--quick is for LevelDB tables and databases, and the file is neither",
                    kExitUsage);
  auto opened = open_filter(options.file, options.format, session);
  if (!opened) return session.exit_code;
  const MeasuredDescription honest = describe_measured(opened->filter);
  if (session.globals.json) {
    std::cout << description_json(honest.description).dump() << '\n';
  } else if (!session.globals.quiet) {
    print_for_people(options.file, honest);
  }
  const auto& health = honest.description.health;
  if (!options.strict || !health || health->verdict == Verdict::kOk) return kExitSuccess;
  return complain(options.file,
                  message("the filter is ", verdict_name(health->verdict), ", and --strict asks ",
                          "for a healthy one: it errs at ", format_probability(health->error_rate)),
                  kExitRefused);
}

}  // namespace

void attach_inspect(CLI::App& subcommand, Session& session) {
  set_examples(subcommand,
               "Examples:\n"
               "  bloomery inspect seen.bloom                what it is, and how healthy\n"
               "  bloomery inspect --json seen.bloom | jq .estimated_fpr\n"
               "  bloomery inspect --strict seen.bloom       exit 4 when it is over its design\n"
               "  bloomery inspect redis://localhost/seen    one that a Redis server holds\n"
               "  bloomery inspect --format go-bloom --keys 10k --fpr 1% bits.bin\n"
               "  bloomery inspect 000005.ldb                a LevelDB table, each key asked\n"
               "  bloomery inspect /var/lib/app/db           a LevelDB database, read only\n");
  auto options = std::make_shared<InspectOptions>();
  subcommand
      .add_option("FILE", options->file,
                  "The filter file, redis://host:port/key, or the folder of a LevelDB database")
      ->required()
      ->type_name("");
  subcommand.add_flag("--strict", options->strict,
                      "Exit with 4 when the filter is over its design or saturated");
  add_format_options(subcommand, options->format);
  add_leveldb_inspect_options(subcommand, options->leveldb);
  subcommand.callback([options, &session] { session.exit_code = inspect(*options, session); });
}

}  // namespace bloomery::cli
