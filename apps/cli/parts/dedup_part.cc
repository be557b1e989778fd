#include "apps/cli/parts/dedup_part.h"

#include <unistd.h>

#include <iostream>

#include "apps/cli/dedup/destination.h"
#include "apps/cli/dedup/output.h"
#include "apps/cli/filters/record_command.h"
#include "apps/cli/parts/plan.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/filter/block/part.h"

namespace bloomery::cli {
namespace {

constexpr double kDedupRate = 1e-4;  // as without --part

Status check_options(const DedupOptions& options, const CommandLine& app) {
  constexpr const char* kOthers[] = {"--exact",    "--keep",  "--count-each", "--repeated",
                                     "--mark",     "--dupes", "--mark-name",  "--checkpoint",
                                     "--explain",  "--save",  "--against",    "--stats-fd",
                                     "--documents"};
  for (const char* name : kOthers)
    if (const Option* option = app.find_option(name); option != nullptr && option->given())
      return usage_error(message("--part cannot be combined with ", name));
  if (options.records.missing == MissingKey::kSkip)
    return usage_error(
        "--part cannot be combined with --missing skip: records without a key belong to no part");
  if (options.records.csv && options.records.csv->on_error == OnError::kKeep)
    return usage_error(
        "--part cannot be combined with --on-error keep: malformed rows belong to no part");
  return ok();
}

// Which records of this part are new, and their bytes.
class PartDedup {
 public:
  PartDedup(BlockPart part, std::byte delimiter, bool prints)
      : part_{std::move(part)}, delimiter_{delimiter}, prints_{prints} {}

  // The bytes to print of a batch.
  ByteView take(const Batch& batch) {
    digests_.resize(batch.keys.size());
    is_new_.resize(batch.keys.size());
    digest_batch(part_.hash(), batch.keys, digests_);
    kept_ += part_.insert_batch(std::span<const Hash128>{digests_}, is_new_);
    out_.clear();
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      own_ += part_.holds(digests_[i]) ? 1 : 0;
      if (is_new_[i] == 0 || !prints_) continue;
      out_.insert(out_.end(), batch.records[i].begin(), batch.records[i].end());
      out_.push_back(delimiter_);
    }
    return out_;
  }
  std::uint64_t kept() const { return kept_; }
  std::uint64_t own() const { return own_; }  // records of this part
  const BlockPart& part() const { return part_; }

 private:
  BlockPart part_;
  std::byte delimiter_;
  bool prints_;
  std::uint64_t kept_ = 0;
  std::uint64_t own_ = 0;
  std::vector<Hash128> digests_;
  std::vector<std::uint8_t> is_new_;
  std::vector<std::byte> out_;
};

Result<StreamTotals> read_all(const DedupOptions& options, const std::vector<InputFile>& inputs,
                              PartDedup& dedup, Destination* to, const Globals& globals) {
  RecordOptions records = options.records;
  if (records.csv) records.csv->prints_rows = to != nullptr;
  KeyReader keys{records, ByteOrder::kLittle};
  const bool is_column = !records.input.column.empty();
  return for_each_batch(inputs, keys, globals,
                        {[&](const Batch& batch) -> Result<bool> {
                           if (is_column && to != nullptr)
                             for (const ByteView record : batch.records)
                               if (std::ranges::find(record, records.delimiter) != record.end())
                                 return Error{
                                     ErrorCode::kInvalidArgument,
                                     message(batch.file,
                                             ": a value of the column contains the delimiter, "
                                             "and would be printed as two records; choose "
                                             "another (-z, or -D)")};
                           const ByteView out = dedup.take(batch);
                           if (to != nullptr)
                             if (auto written = to->write(out); !written) return written.error();
                           return true;
                         },
                         [&](const CsvPreamble& preamble) -> Status {
                           if (to == nullptr) return ok();
                           return to->write(bytes_of(preamble.mark + preamble.header));
                         }});
}

void print_result(const DedupOptions& options, const PartDedup& dedup, const Health& health,
                  const StreamTotals& totals, const Globals& globals) {
  const bloomery::Part part = dedup.part().part();
  if (globals.json)
    std::cout << Json{{"part", part.index},        {"parts", part.parts},
                      {"records", totals.records}, {"records_of_part", dedup.own()},
                      {"selected", dedup.kept()},  {"dropped", dedup.own() - dedup.kept()},
                      {"seconds", totals.seconds}, {"bytes", dedup.part().bytes().size()},
                      {"fill", health.fill},       {"estimated_fpr", health.error_rate}}
                     .dump()
              << '\n';
  else if (options.count)
    std::cout << dedup.kept() << '\n';
}

void report(const PartDedup& dedup, const Health& health, const StreamTotals& totals,
            const Globals& globals) {
  if (globals.quiet) return;
  const bloomery::Part part = dedup.part().part();
  std::cerr << "bloomery: part " << part.index << " of " << part.parts << ": "
            << counted(totals.records, "record") << " read, " << format_count(dedup.own())
            << " of this part: " << format_count(dedup.kept()) << " kept, "
            << format_count(dedup.own() - dedup.kept()) << " dropped as seen before; fill "
            << format_probability(health.fill) << ", false positives "
            << format_probability(health.error_rate) << '\n';
  if (health.verdict != Verdict::kOk)
    warn("", message("the part is over its design; its false-positive rate is ",
                     format_probability(health.error_rate)));
}

}  // namespace

int dedup_part(DedupOptions& options, bloomery::Part part, const CommandLine& app,
               Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  const Globals& globals = session.globals;
  if (auto fits = check_options(options, app); !fits) return stop(fits.error());
  if (auto fits = check_funnel(options.records, options.seen.filter.format); !fits)
    return stop(fits.error());
  NewFilterOptions& wanted = options.seen.filter;
  if (wanted.create.layout == Layout::kLines)
    return stop(usage_error(
        "--part needs --layout block: with several lines per key no part alone knows whether a key "
        "is new"));
  if (wanted.create.layout == Layout::kAuto) wanted.create.layout = Layout::kBlock;
  const auto plan =
      plan_of_parts(wanted, part.parts, options.records.funnel.value_or(FunnelName::kBytes),
                    kDedupRate, "--part");
  if (!plan) return stop(plan.error());
  if (auto fits = check_part_fits(*plan, part, globals.memory); !fits) return stop(fits.error());
  const auto inputs = find_inputs(options.files, options.records);
  if (!inputs) return stop(inputs.error());
  if (auto fits = check_files(options, *inputs); !fits) return stop(fits.error());
  auto filter = BlockPart::create(plan->whole.shape, part, plan->hash);
  if (!filter) return stop(filter.error());
  filter->set_provenance({plan->whole.goal, 0});

  const bool prints = !options.count && !globals.json;
  std::optional<Destination> to;
  if (prints) {
    auto opened = Destination::open(options.output);
    if (!opened) return stop(opened.error());
    to.emplace(std::move(*opened));
  }
  PartDedup dedup{std::move(*filter), options.records.delimiter, prints};
  const auto totals = read_all(options, *inputs, dedup, to ? &*to : nullptr, globals);
  Status done = totals ? ok() : Status{totals.error()};
  if (done && to) done = to->settle(!options.output.path.empty());
  const Health health = dedup.part().health();
  if (done) print_result(options, dedup, health, *totals, globals);
  if (done && options.strict && health.verdict != Verdict::kOk) {
    if (to) to->abandon();
    return complain("",
                    message("the part is over its design (its false-positive rate is ",
                            format_probability(health.error_rate), "), and --strict forbids it"),
                    kExitRefused);
  }
  if (done && to) done = to->publish();
  if (!done) {
    if (to) to->abandon();
    return stop(done.error());
  }
  report(dedup, health, *totals, globals);
  return kExitSuccess;
}

}  // namespace bloomery::cli
