// bloomery add: more records into a filter that exists.
#include <iostream>

#include "apps/cli/filters/insertion.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/redis_filter.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/filters/unused_options.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kAddExamples =
    "Examples:\n"
    "  bloomery add seen.bloom today.txt            the lines of a file\n"
    "  tail -n 1000 log | bloomery add seen.bloom   the lines of a stream\n"
    "  bloomery add --csv -f email seen.bloom users.csv    a column of CSV, by its name\n"
    "  bloomery add --strict seen.bloom today.txt   not beyond its design\n"
    "  bloomery add --format go-bloom --keys 1M --fpr 1% bits.bin a.txt\n"
    "  bloomery add redis://localhost/seen today.txt    a filter in a Redis server\n";

struct AddOptions : RecordCommand {
  bool strict = false;
};

void print_plan(const AddOptions& options, const Description& before, std::string_view limit,
                const Globals& globals) {
  if (globals.quiet) return;
  std::cerr << "bloomery: plan: " << without_password(options.filter) << ": " << before.layout
            << ", " << shape_sentence(before) << limit << '\n';
}

Result<Summary> insert_remotely(RedisFilter& filter, const std::vector<InputFile>& inputs,
                                const AddOptions& options, const Globals& globals) {
  KeyReader keys{options.records, byte_order_of(filter.format().name)};
  std::vector<std::uint8_t> is_new;
  std::uint64_t kept = 0;
  const auto insert = [&](const Batch& batch) -> Result<bool> {
    is_new.resize(batch.keys.size());
    const auto added = filter.insert_batch(batch.keys, is_new);
    if (!added)
      return Error{added.error().code, message(options.filter, ": ", added.error().message)};
    kept += *added;
    return true;
  };
  const auto totals = for_each_batch(inputs, keys, globals, {insert});
  if (!totals) return totals.error();
  return Summary{.records = totals->records,
                 .selected = kept,
                 .seconds = totals->seconds,
                 .filter = filter.describe(),
                 .skipped = totals->skipped,
                 .malformed = totals->malformed};
}

// The server adds: keys that others add at the same time are kept, and no bits travel.
int add_remotely(const AddOptions& options, Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  if (options.strict)
    return complain(options.filter,
                    "--strict works on files only: keys added to a server cannot be removed again",
                    kExitUsage);
  if (auto fits = check_remote_options(options.format); !fits) return stop(fits.error());
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  auto filter = RedisFilter::open(options.filter, options.format.format);
  if (!filter) return complain_of_filter(options.filter, filter.error());
  if (auto fits = check_funnel(options.records, filter->format().name); !fits)
    return stop(fits.error());
  const Description before = filter->describe();
  print_plan(options, before, " in the server", session.globals);
  const auto summary = insert_remotely(*filter, *inputs, options, session.globals);
  if (!summary) return stop(summary.error());
  report_insertion(options.filter, *summary, before, session.globals);
  return kExitSuccess;
}

void run(AddOptions& options, const CommandLine& app, Session& session) {
  if (is_redis_address(options.filter)) {
    if (refuse_lock_timeout("a server orders its writes itself", session)) return;
    if (!lacks_input(options.files, options.records, app, session))
      session.exit_code = add_remotely(options, session);
    return;
  }
  auto opened = open_record_command(options, app, session);
  if (!opened) return;
  const Description before = describe(opened->file.filter);
  print_plan(options, before,
             message(" of memory (limit ", format_bytes(session.globals.memory), ")"),
             session.globals);
  insert_and_save({.path = options.filter,
                   .format = opened->file.format,
                   .filter = &opened->file.filter,
                   .before = before,
                   .strict = options.strict,
                   .goal_rate = options.format.sizing.rate},
                  opened->inputs, options.records, session);
}

}  // namespace

void attach_add(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<AddOptions>();
  options->format.rate_is_goal = true;
  subcommand.examples(kAddExamples);
  subcommand.add_flag(
      "--strict", options->strict,
      "Exit with 4 and leave the file unchanged if the filter would be over its design");
  add_record_command(subcommand, *options,
                     "The filter: a file, which is replaced in one step, or redis://host:port/key");
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
