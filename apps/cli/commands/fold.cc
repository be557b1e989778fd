#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/fold_search.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/help.h"
#include "apps/cli/shell/number_options.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/redis_client.h"

namespace bloomery::cli {
namespace {

struct FoldOptions {
  std::string file;
  OutputOptions output;
  FormatOptions format;
  std::optional<double> rate;
};

void tell(const FoldOptions& options, const Folded& folded, const Description& before,
          const Globals& globals) {
  const double rate = folded.description.health->error_rate;
  if (globals.json) {
    const nlohmann::ordered_json json{
        {"factor", folded.factor},           {"bits_before", *before.bits},
        {"bits", *folded.description.bits},  {"bytes_before", before.bytes},
        {"bytes", folded.description.bytes}, {"estimated_fpr", rate}};
    std::cout << json.dump() << '\n';
    return;
  }
  if (globals.quiet) return;
  std::cerr << "bloomery: " << without_password(options.output.path) << ": ";
  if (folded.factor == 1) {
    std::cerr << "a copy: no smaller filter keeps " << format_probability(*options.rate)
              << "; this one errs at " << format_probability(rate) << '\n';
    return;
  }
  std::cerr << "folded by " << folded.factor << ", from " << format_bytes(before.bytes) << " to "
            << format_bytes(folded.description.bytes) << "; it now errs at "
            << format_probability(rate) << '\n';
}

int run_fold(const FoldOptions& options, Session& session) {
  if (!may_write(options.output, session)) return session.exit_code;
  if (!lock_to_write(options.output.path, options.output.force, session)) return session.exit_code;
  const auto opened = open_filter(options.file, options.format, session);
  if (!opened) return session.exit_code;
  auto folded = smallest_fold(opened->filter, *options.rate);
  if (!folded) return complain(options.file, folded.error(), Blame::kFilterFile);
  const Description before = describe_measured(opened->filter).description;
  if (!*folded)
    return complain(options.file,
                    message("not folded: as it is the filter errs at ",
                            format_probability(before.health->error_rate), ", more than the ",
                            format_probability(*options.rate), " asked for"),
                    kExitRefused);
  if (!save_filter(options.output.path, *opened->format, (*folded)->filter, session,
                   options.output.force))
    return session.exit_code;
  tell(options, **folded, before, session.globals);
  return kExitSuccess;
}

}  // namespace

void attach_fold(CLI::App& subcommand, Session& session) {
  set_examples(subcommand,
               "Examples:\n"
               "  bloomery fold -p 1% -o small.bloom big.bloom     the smallest that errs at 1 %\n"
               "  bloomery fold -p 0.001 --json -o small.bloom big.bloom\n"
               "  bloomery fold -p 5% --format go-bloom --bits 95840 --probes 6 -o s.bin b.bin\n");
  auto options = std::make_shared<FoldOptions>();
  subcommand.add_option("IN", options->file, "The filter file to fold")->required()->type_name("");
  add_output_options(subcommand, options->output, session.globals);
  add_probability_option(subcommand, "-p,--fpr", options->rate,
                         "The false-positive rate that the result must keep")
      ->required();
  add_format_name_options(subcommand, options->format);
  add_count_option(subcommand, "--bits", options->format.sizing.bits,
                   "Bits of a filter without a header")
      ->group("Filter file");
  add_count_option(subcommand, "--probes", options->format.sizing.probes,
                   "Probes of a filter without a header")
      ->group("Filter file");
  subcommand.callback([options, &session] { session.exit_code = run_fold(*options, session); });
}

}  // namespace bloomery::cli
