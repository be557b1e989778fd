#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/fold_search.h"
#include "apps/cli/filters/output_file.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"

namespace bloomery::cli {
namespace {

struct FoldOptions {
  std::string file;
  OutputOptions output;
  FormatOptions format;
  std::optional<double> rate;
};

void report_fold(const FoldOptions& options, const Folded& folded, const Description& before,
                 const Globals& globals) {
  const double rate = folded.description.health->error_rate;
  if (globals.json) {
    const Json json{{"factor", folded.factor},           {"bits_before", *before.bits},
                    {"bits", *folded.description.bits},  {"bytes_before", before.bytes},
                    {"bytes", folded.description.bytes}, {"estimated_fpr", rate}};
    std::cout << json.dump() << '\n';
    return;
  }
  if (globals.quiet) return;
  std::cerr << "bloomery: " << name_without_secrets(options.output.path) << ": ";
  if (folded.factor == 1) {
    std::cerr << "copied: no smaller filter keeps " << format_probability(*options.rate)
              << "; its false-positive rate is " << format_probability(rate) << '\n';
    return;
  }
  std::cerr << "folded by " << folded.factor << ", from " << format_bytes(before.bytes) << " to "
            << format_bytes(folded.description.bytes) << "; its false-positive rate is now "
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
                    message("not folded: its false-positive rate is already ",
                            format_probability(before.health->error_rate), ", above the limit of ",
                            format_probability(*options.rate), " (--fpr)"),
                    kExitRefused);
  if (!save_filter(options.output.path, *opened->format, (*folded)->filter, session,
                   options.output.force))
    return session.exit_code;
  report_fold(options, **folded, before, session.globals);
  return kExitSuccess;
}

}  // namespace

void attach_fold(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery fold -p 1% -o small.bloom big.bloom     the smallest that keeps 1 %\n"
      "  bloomery fold -p 0.001 --json -o small.bloom big.bloom\n"
      "  bloomery fold -p 5% --format go-bloom --bits 95840 --probes 6 -o s.bin b.bin\n");
  auto options = std::make_shared<FoldOptions>();
  subcommand.add_option("IN", options->file, "The filter file to fold")->required();
  add_output_options(subcommand, options->output, session.globals);
  subcommand
      .add_probability("-p,--fpr", options->rate, "False-positive rate that the result must keep")
      ->required();
  add_format_name_options(subcommand, options->format);
  subcommand.add_count("--bits", options->format.sizing.bits, "Bits of a filter without a header")
      ->group("Filter file");
  subcommand
      .add_count("--probes", options->format.sizing.probes, "Probes of a filter without a header")
      ->group("Filter file");
  subcommand.action([options, &session] { session.exit_code = run_fold(*options, session); });
}

}  // namespace bloomery::cli
