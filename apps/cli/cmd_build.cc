// bloomery build: a new filter from records.
#include <filesystem>
#include <iostream>

#include "apps/cli/help.h"
#include "apps/cli/insertion.h"
#include "apps/cli/numbers.h"
#include "apps/cli/output_file.h"
#include "apps/cli/plan.h"
#include "apps/cli/record_command.h"
#include "apps/cli/summary.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  bloomery build -o seen.bloom urls.txt                  a filter of the lines of a file\n"
    "  zcat log.gz | bloomery build -o ids.bloom -f 3         of the third column of a stream\n"
    "  bloomery build -o ids.bloom -n 10M -p 0.1% ids.txt     for ten million keys at one in 1000\n"
    "  bloomery build -o a.guava --format guava -n 1M a.txt   a file that Guava reads\n"
    "  bloomery build -o live.bloom --layout counting a.txt   one that keys can be removed from\n";

struct BuildOptions {
  OutputOptions output;
  bool strict = false;
  std::vector<std::string> files;
  NewFilterOptions filter;
  RecordOptions records;
};

void print_plan(const BuildOptions& options, const Description& empty, std::string_view origin,
                const Globals& globals) {
  if (globals.quiet) return;
  std::cerr << "bloomery: plan: ";
  const SizingRequest& sizing = options.filter.create.sizing;
  if (sizing.keys)
    std::cerr << format_count(static_cast<double>(*sizing.keys)) << " keys (" << origin << ")";
  if (sizing.keys && sizing.rate) std::cerr << " at " << format_probability(*sizing.rate);
  std::cerr << (sizing.keys ? ": " : "") << empty.layout << ", " << shape_sentence(empty)
            << " of memory (limit " << format_bytes(globals.memory) << ")\n";
}

Result<AnyFilter> plan_and_create(BuildOptions& options, const Format& format,
                                  std::vector<InputFile>& inputs, const Globals& globals) {
  const auto origin = complete_sizing(options.filter, inputs, options.records.delimiter);
  if (!origin) return origin.error();
  CreateOptions& create = options.filter.create;
  create.limits.max_bytes = globals.memory;
  create.funnel = options.records.funnel.value_or(FunnelName::kBytes);
  auto filter = format.create(create);
  if (!filter) return filter.error();
  print_plan(options, describe(*filter), *origin, globals);
  return filter;
}

void run(BuildOptions& options, const CLI::App& app, Session& session) {
  const auto stop = [&](const Error& error) {
    session.exit_code = complain("", error, Blame::kArguments);
  };
  if (lacks_input(options.files, app, session)) return;
  if (!may_write(options.output, session)) return;
  const auto format = chosen_format(options.filter);
  if (!format) return stop(format.error());
  if (auto fits = check_funnel(options.records, options.filter.format); !fits)
    return stop(fits.error());
  auto inputs = find_inputs(options.files);
  if (!inputs) return stop(inputs.error());
  auto filter = plan_and_create(options, **format, *inputs, session.globals);
  if (!filter) return stop(filter.error());
  insert_and_save({.path = options.output.path,
                   .format = *format,
                   .filter = &*filter,
                   .fill_before = 0,
                   .strict = options.strict},
                  *inputs, options.records, session);
}

}  // namespace

void attach_build(CLI::App& subcommand, Session& session) {
  auto options = std::make_shared<BuildOptions>();
  set_examples(subcommand, kExamples);
  add_record_files(subcommand, options->files);
  add_output_options(subcommand, options->output);
  subcommand.add_flag("--strict", options->strict,
                      "Exit 4 and save nothing when the filter is over its design in the end");
  add_record_options(subcommand, options->records);
  add_new_filter_options(subcommand, options->filter);
  subcommand.callback([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
