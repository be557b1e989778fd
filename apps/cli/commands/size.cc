#include <array>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/cli/commands/plot.h"
#include "apps/cli/commands/size_table.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/shell/command.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "bloomery/base/file.h"

namespace bloomery::cli {
namespace {

// Of the options that every command takes.
constexpr std::array kNotUsed{"--threads", "--memory"};

struct SizeOptions {
  SizingRequest request;
  std::string plot;  // empty: none
  bool force = false;
};

Json to_json(const SizeTable& table) {
  auto json = Json::array();
  for (const SizeRow& row : table.rows)
    json.push_back({{"layout", row.layout},
                    {"dialect", row.dialect},
                    {"keys", row.keys},
                    {"fpr", row.rate},
                    {"bits", row.bits},
                    {"bytes", row.bytes},
                    {"probes", row.probes},
                    {"bits_per_key", row.bits_per_key()}});
  return json;
}

void print_for_people(const SizeTable& table) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back(
      {"layout", "dialect", "keys", "false positives", "bits", "memory", "probes", "bits/key"});
  bool any_tried_out = false;
  for (const SizeRow& row : table.rows) {
    any_tried_out |= row.tried_out;
    rows.push_back({row.layout, row.dialect, format_count(row.keys),
                    format_probability(row.rate) + (row.tried_out ? " *" : "  "),
                    format_count(row.bits), format_bytes(row.bytes), std::to_string(row.probes),
                    significant(row.bits_per_key(), 4)});
  }
  print_table(rows, 2);
  if (any_tried_out)
    std::cout << "\n* measured: higher than its size promises, because its probes depend on each "
                 "other or its hash is too narrow for so many keys\n";
}

bool may_plot(const SizeOptions& options) {
  std::error_code unknown;
  return options.plot.empty() || options.force || !std::filesystem::exists(options.plot, unknown);
}

int save_plot(const SizeOptions& options, const SizeTable& table, const Globals& globals) {
  const std::string& path = options.plot;
  const Sizing& sizing = table.sizing;
  const std::string svg =
      rate_plot_svg(classic_rate_plot({sizing.bits, sizing.probes}, {sizing.keys, sizing.rate}));
  // Without a lock, a file that appeared meanwhile is not replaced.
  const auto saved =
      options.force ? save_file(path, bytes_of(svg)) : save_file(path, bytes_of(svg), FileLock{});
  if (!saved) return complain(path, saved.error(), Blame::kArguments);
  if (!globals.quiet) std::cerr << path << ": false-positive rate against keys\n";
  return kExitSuccess;
}

int size(const SizeOptions& options, Session& session) {
  if (!may_plot(options))
    return complain(options.plot, "the file exists; --force replaces it", kExitUsage);
  const auto table = size_table(options.request);
  if (!table) return complain("size", table.error(), Blame::kArguments);
  if (session.globals.json) {
    std::cout << to_json(*table).dump() << '\n';
  } else {
    print_for_people(*table);
  }
  return options.plot.empty() ? kExitSuccess : save_plot(options, *table, session.globals);
}

void add_bits_per_key(CommandLine& app, std::optional<double>& value) {
  app.add_option("--bits-per-key", value, "Bits per key")->value_name("B");
}

}  // namespace

void attach_size(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery size -n 10M -p 0.1%               how large for 10 million keys\n"
      "  bloomery size --bits 8Mi -p 1%             how many keys fit\n"
      "  bloomery size -n 1M --bits 10M --probes 5  its false-positive rate\n"
      "  bloomery size -n 10M -p 1% --plot curve.svg\n");
  auto options = std::make_shared<SizeOptions>();
  SizingRequest& request = options->request;
  subcommand.add_count("-n,--keys", request.keys, "Keys that will be inserted");
  subcommand.add_probability("-p,--fpr", request.rate, "False-positive rate (0.01, 1%, 1/100)");
  subcommand.add_count("--bits", request.bits, "Size of the filter in bits");
  subcommand.add_count("--probes", request.probes, "Bits set by each key");
  add_bits_per_key(subcommand, request.bits_per_key);
  auto* plot = subcommand.add_option(
      "--plot", options->plot,
      "Draw the false-positive rate against the number of keys, as an SVG file");
  plot->value_name("FILE");
  subcommand.add_flag("-F,--force", options->force, "Replace the picture if it exists")
      ->needs(plot);
  for (const char* name : kNotUsed) subcommand.find_option(name)->hide();
  subcommand.action([options, &subcommand, &session] {
    const auto fits = check_globals(subcommand, kNotUsed, "size only computes");
    session.exit_code =
        fits ? size(*options, session) : complain("", fits.error(), Blame::kArguments);
  });
}

}  // namespace bloomery::cli
