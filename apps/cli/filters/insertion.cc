#include "apps/cli/filters/insertion.h"

#include <iostream>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/formats/measured_description.h"

namespace bloomery::cli {
namespace {

// Every filter that can grow tells its size at once; the others keep the size they were planned
// with.
std::uint64_t size_if_told(const AnyFilter& filter) {
  return std::visit(
      [](const auto& held) -> std::uint64_t {
        if constexpr (requires { held.size_bytes(); }) return held.size_bytes();
        if constexpr (requires { held.filter.size_bytes(); }) return held.filter.size_bytes();
        return 0;
      },
      filter);
}

Error named(std::string_view path, const Error& error) {
  return {error.code, message(path, ": ", error.message)};
}

Result<Summary> insert_all(const Insertion& insertion, const std::vector<InputFile>& inputs,
                           const RecordOptions& records, const Globals& globals) {
  AnyFilter& filter = *insertion.filter;
  KeyReader keys{records, byte_order_of(insertion.format->name)};
  std::vector<std::uint8_t> is_new;
  std::uint64_t kept = 0;
  const auto insert = [&](const Batch& batch) -> Result<bool> {
    is_new.resize(batch.keys.size());
    const auto added = insert_batch(filter, batch.keys, is_new);
    if (!added) return named(insertion.path, added.error());
    kept += *added;
    if (auto fits = within_memory(filter, globals); !fits)
      return named(insertion.path, fits.error());
    return true;
  };
  const auto totals = for_each_batch(inputs, keys, globals, {insert});
  if (!totals) return totals.error();
  Description now = described_after_work(filter, *insertion.format);
  judge_by(insertion.goal_rate, now);
  return Summary{.records = totals->records,
                 .selected = kept,
                 .seconds = totals->seconds,
                 .filter = std::move(now),
                 .skipped = totals->skipped,
                 .malformed = totals->malformed};
}

}  // namespace

void report_insertion(const std::string& path, const Summary& summary,
                      const std::optional<Description>& before, const Globals& globals) {
  if (!globals.quiet)
    std::cerr << "bloomery: " << name_without_secrets(path) << ": "
              << insertion_sentence(summary, before) << '\n';
  warn_of_health(path, summary.filter, globals);
  if (globals.json) std::cout << summary_json(summary);
}

void save_and_report(const Insertion& insertion, const Summary& summary, Session& session) {
  const std::uint64_t read = summary.records + summary.malformed.value_or(0);
  if (insertion.counted && *insertion.counted != read && !session.globals.quiet)
    warn(insertion.path,
         message("the input changed while it was read: ", format_count(*insertion.counted),
                 " records were counted, but ", format_count(read), " were read"));
  if (insertion.strict && over_design(summary.filter)) {
    warn_of_health(insertion.path, summary.filter, session.globals);
    session.exit_code = complain(
        insertion.path, "not saved: the filter would be over its design, which --strict forbids",
        kExitRefused);
    return;
  }
  if (!save_filter(insertion.path, *insertion.format, *insertion.filter, session, insertion.force))
    return;
  report_insertion(insertion.path, summary, insertion.before, session.globals);
}

Status within_memory(const AnyFilter& filter, const Globals& globals) {
  const std::uint64_t bytes = size_if_told(filter);
  if (bytes <= globals.memory) return ok();
  return Error{ErrorCode::kTooLarge, message("the filter has grown to ", format_bytes(bytes),
                                             "; --memory allows ", format_bytes(globals.memory))};
}

Description described_after_work(const AnyFilter& filter, const Format& format) {
  if (format.name == "bloomery") return describe(filter);
  constexpr MeasureBudget kShort{.samples = 200'000, .time = std::chrono::milliseconds{200}};
  return describe_measured(filter, kShort).description;
}

bool over_design(const Description& filter) {
  return filter.health && filter.health->verdict != Verdict::kOk;
}

void insert_and_save(const Insertion& insertion, const std::vector<InputFile>& inputs,
                     const RecordOptions& records, Session& session) {
  const auto summary = insert_all(insertion, inputs, records, session.globals);
  if (!summary) {
    session.exit_code = complain("", summary.error(), Blame::kArguments);
    report_not_saved(insertion.path, session.globals);
    return;
  }
  save_and_report(insertion, *summary, session);
}

}  // namespace bloomery::cli
