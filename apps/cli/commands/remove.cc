// bloomery remove: records out of a counting filter.
#include <iostream>

#include "apps/cli/filters/record_command.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRemoveExamples =
    "Examples:\n"
    "  bloomery remove live.bloom expired.txt           take the lines of a file out again\n"
    "  bloomery build -o live.bloom --layout counting   a filter that this works on\n";

Result<Summary> remove_all(AnyFilter& filter, const std::vector<InputFile>& inputs,
                           const RecordOptions& records, ByteOrder order, const Globals& globals) {
  KeyReader keys{records, order};
  std::vector<std::uint8_t> removed;
  std::uint64_t gone = 0;
  const auto remove = [&](const Batch& batch) -> Result<bool> {
    removed.resize(batch.keys.size());
    const auto count = remove_batch(filter, batch.keys, removed);
    if (!count) return count.error();
    gone += *count;
    return true;
  };
  const auto totals = for_each_batch(inputs, keys, globals, {remove});
  if (!totals) return totals.error();
  return Summary{.records = totals->records,
                 .selected = gone,
                 .seconds = totals->seconds,
                 .filter = describe(filter),
                 .skipped = totals->skipped,
                 .malformed = totals->malformed};
}

void report(const std::string& path, const Summary& summary, const Globals& globals) {
  if (!globals.quiet)
    std::cerr << "bloomery: " << path << ": " << counted(summary.records, "record") << " in "
              << format_seconds(summary.seconds) << ": " << format_count(summary.selected)
              << " removed, " << format_count(summary.records - summary.selected - summary.skipped)
              << " were not members"
              << (summary.skipped > 0 ? "; " + skipped_sentence(summary.skipped) : "")
              << (summary.malformed.value_or(0) > 0 ? "; " + malformed_sentence(*summary.malformed)
                                                    : "")
              << '\n';
  if (globals.json) std::cout << summary_json(summary);
}

void run(RecordCommand& options, const CommandLine& app, Session& session) {
  if (needs_file(options.filter, "remove works on files only; in a server, CF.DEL removes keys",
                 session))
    return;
  auto opened = open_record_command(options, app, session);
  if (!opened) return;
  FilterFile& file = opened->file;
  // Asked with no key first: a filter that cannot remove says so before a record is read.
  if (auto able = remove_batch(file.filter, {}, {}); !able) {
    session.exit_code = complain(file.path, able.error(), Blame::kArguments);
    return;
  }
  const auto summary = remove_all(file.filter, opened->inputs, options.records,
                                  byte_order_of(file.format->name), session.globals);
  if (!summary) {
    session.exit_code = complain("", summary.error(), Blame::kArguments);
    report_not_saved(file.path, session.globals);
    return;
  }
  if (!save_filter(file.path, *file.format, file.filter, session)) return;
  report(file.path, *summary, session.globals);
}

}  // namespace

void attach_remove(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<RecordCommand>();
  subcommand.examples(kRemoveExamples);
  add_record_command(subcommand, *options, "A counting filter; its file is replaced in one step");
  add_lock_option(subcommand, session.globals);
  subcommand.action([options, &subcommand, &session] { run(*options, subcommand, session); });
}

}  // namespace bloomery::cli
