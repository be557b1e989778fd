// bloomery add: more records into a filter that exists.
#include <CLI/CLI.hpp>
#include <iostream>

#include "apps/cli/help.h"
#include "apps/cli/insertion.h"
#include "apps/cli/numbers.h"
#include "apps/cli/record_command.h"
#include "apps/cli/summary.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  bloomery add seen.bloom today.txt            the lines of a file\n"
    "  tail -n 1000 log | bloomery add seen.bloom   the lines of a stream\n"
    "  bloomery add --strict seen.bloom today.txt   but not beyond what it was made for\n"
    "  bloomery add --format go-bloom --keys 1M --fpr 1% bits.bin a.txt\n";

struct AddOptions : RecordCommand {
  bool strict = false;
};

void run(AddOptions& options, const CLI::App& app, Session& session) {
  auto opened = open_record_command(options, app, session);
  if (!opened) return;
  const Description before = describe(opened->file.filter);
  if (!session.globals.quiet)
    std::cerr << "bloomery: plan: " << options.filter << ": " << before.layout << ", "
              << shape_sentence(before) << " of memory (limit "
              << format_bytes(session.globals.memory) << ")\n";
  insert_and_save({.path = options.filter,
                   .format = opened->file.format,
                   .filter = &opened->file.filter,
                   .fill_before = before.health ? before.health->fill : 0,
                   .strict = options.strict},
                  opened->inputs, options.records, session);
}

}  // namespace

void attach_add(CLI::App& subcommand, Session& session) {
  auto options = std::make_shared<AddOptions>();
  set_examples(subcommand, kExamples);
  subcommand.add_flag("--strict", options->strict,
                      "Exit 4 and leave the file as it is when the keys would be over its design");
  add_record_command(subcommand, *options, "The filter; its file is replaced in one step");
  subcommand.callback([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
