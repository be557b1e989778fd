#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/filter_file.h"
#include "apps/cli/help.h"
#include "apps/cli/numbers.h"
#include "apps/cli/output_file.h"
#include "bloomery/base/file.h"
#include "bloomery/formats/rewrap.h"

namespace bloomery::cli {
namespace {

struct ConvertOptions {
  std::string file;
  std::string to;
  OutputOptions output;
  FormatOptions format;
};

void tell(const ConvertOptions& options, const FilterFile& from, std::size_t bytes,
          const Globals& globals) {
  if (globals.json) {
    const nlohmann::ordered_json json{
        {"from", from.format->name}, {"to", options.to}, {"bytes", bytes}};
    std::cout << json.dump() << '\n';
  } else if (!globals.quiet) {
    // From our own format into it again, counters have become bits.
    const bool same = from.format->name == options.to;
    std::cerr << "bloomery: " << options.output.path << ": "
              << (same ? describe(from.filter).layout + " " : "") << from.format->name
              << " written as " << (same ? "plain " : "") << options.to << ", "
              << format_bytes(bytes) << "; the same keys, the same answers\n";
  }
}

int convert(const ConvertOptions& options, Session& session) {
  const Format* to = find_format(options.to);
  if (to == nullptr) return complain("", unknown_format(options.to, "--to"), Blame::kArguments);
  if (!may_write(options.output, session)) return session.exit_code;
  const auto opened = open_filter(options.file, options.format, session);
  if (!opened) return session.exit_code;
  const auto bytes = rewrap(opened->filter, *to);
  if (!bytes) return complain(options.file, bytes.error(), Blame::kFilterFile);
  if (const auto saved = save_file(options.output.path, *bytes); !saved)
    return complain(options.output.path, saved.error(), Blame::kArguments);
  tell(options, *opened, bytes->size(), session.globals);
  return kExitSuccess;
}

}  // namespace

void attach_convert(CLI::App& subcommand, Session& session) {
  set_examples(
      subcommand,
      "Examples:\n"
      "  bloomery convert --to bits-and-blooms:json -o seen.json seen.bin\n"
      "  bloomery convert --format leveldb --to leveldb:block -o block.bin filter.bin\n"
      "  bloomery convert --to bloomery -o seen.bloom counting.bloom    counters become bits\n");
  auto options = std::make_shared<ConvertOptions>();
  subcommand.add_option("IN", options->file, "The filter file to convert")
      ->required()
      ->type_name("");
  subcommand.add_option("--to", options->to, "The format to write")->required()->type_name("NAME");
  add_output_options(subcommand, options->output);
  add_format_options(subcommand, options->format);
  subcommand.callback([options, &session] { session.exit_code = convert(*options, session); });
}

}  // namespace bloomery::cli
