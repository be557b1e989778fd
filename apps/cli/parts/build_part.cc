#include "apps/cli/parts/build_part.h"

#include <iostream>

#include "apps/cli/filters/plan.h"
#include "apps/cli/filters/summary.h"
#include "apps/cli/filters/write_lock.h"
#include "apps/cli/parts/plan.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/redis_client.h"
#include "bloomery/filter/seeded/builder.h"
#include "bloomery/formats/native/part_file.h"

namespace bloomery::cli {
namespace {

struct BuiltPart {
  BlockPart part;
  StreamTotals totals;
};

template <class Take>
Result<StreamTotals> take_keys(const PartRequest& request, const Globals& globals, Take take) {
  KeyReader keys{request.records, ByteOrder::kLittle};
  const auto use = [&](const Batch& batch) -> Result<bool> {
    if (auto taken = take(batch.keys); !taken) return taken.error();
    return true;
  };
  return for_each_batch(request.inputs, keys, globals, {use});
}

Result<BuiltPart> build_seeded(const PartRequest& request, const PartPlan& plan,
                               const Globals& globals) {
  const std::uint64_t memory = globals.memory - part_bytes(plan.whole.shape, request.part);
  auto builder = SeededBuilder::create_part(plan.whole.shape, request.part, plan.hash,
                                            {.memory_bytes = memory, .threads = globals.threads});
  if (!builder) return builder.error();
  const auto totals = take_keys(request, globals, [&](std::span<const ByteView> keys) -> Status {
    return builder->add(keys);
  });
  if (!totals) return totals.error();
  auto part = builder->finish_part();
  if (!part) return part.error();
  return BuiltPart{std::move(*part), *totals};
}

Result<BuiltPart> build_plain(const PartRequest& request, const PartPlan& plan,
                              const Globals& globals) {
  auto part = BlockPart::create(plan.whole.shape, request.part, plan.hash);
  if (!part) return part.error();
  std::vector<std::uint8_t> is_new;
  const auto totals = take_keys(request, globals, [&](std::span<const ByteView> keys) -> Status {
    is_new.resize(keys.size());
    part->insert_batch(keys, is_new);
    return ok();
  });
  if (!totals) return totals.error();
  return BuiltPart{std::move(*part), *totals};
}

void print_plan(const PartRequest& request, const PartPlan& plan, const Globals& globals) {
  if (globals.quiet) return;
  const BlockShape shape = plan.whole.shape;
  std::cerr << "bloomery: plan: part " << request.part.index << " of " << request.part.parts
            << " of a filter of " << format_bytes(shape.bytes());
  if (plan.whole.goal)
    std::cerr << " for " << format_count(plan.whole.goal->keys) << " keys at "
              << format_probability(plan.whole.goal->false_positive_rate);
  std::cerr << ": " << format_bytes(part_bytes(shape, request.part)) << " of memory (limit "
            << format_bytes(globals.memory) << ")\n";
}

void report(const PartRequest& request, const BuiltPart& built, const Health& health,
            const Globals& globals) {
  const auto keys = built.part.provenance().keys_inserted;
  if (!globals.quiet) {
    std::cerr << "bloomery: " << request.output.path << ": "
              << counted(built.totals.records, "record") << " read in "
              << format_seconds(built.totals.seconds) << "; ";
    if (keys) std::cerr << format_count(*keys) << " of them new keys of this part; ";
    std::cerr << "fill " << format_probability(health.fill) << ", false positives "
              << format_probability(health.error_rate) << '\n';
    if (built.totals.skipped > 0)
      std::cerr << "bloomery: " << skipped_sentence(built.totals.skipped) << '\n';
  }
  if (globals.json)
    std::cout << Json{{"part", request.part.index},         {"parts", request.part.parts},
                      {"records", built.totals.records},    {"skipped", built.totals.skipped},
                      {"keys_inserted", or_null(keys)},     {"seconds", built.totals.seconds},
                      {"bytes", built.part.bytes().size()}, {"fill", health.fill},
                      {"estimated_fpr", health.error_rate}}
                     .dump()
              << '\n';
}

}  // namespace

int build_part(const PartRequest& request, Session& session) {
  const auto stop = [](const Error& error) { return complain("", error, Blame::kArguments); };
  const Globals& globals = session.globals;
  if (request.output.path == "-" || is_redis_address(request.output.path))
    return complain(request.output.path, "a part is written to a file", kExitUsage);
  const FunnelName funnel = request.records.funnel.value_or(FunnelName::kBytes);
  const auto plan =
      plan_of_parts(request.filter, request.part.parts, funnel, kDefaultRate, "--part");
  if (!plan) return stop(plan.error());
  if (auto fits = check_part_fits(*plan, request.part, globals.memory); !fits)
    return stop(fits.error());
  if (!lock_to_write(request.output.path, request.output.force, session)) return session.exit_code;
  print_plan(request, *plan, globals);
  auto built = plan->whole.shape.seeded ? build_seeded(request, *plan, globals)
                                        : build_plain(request, *plan, globals);
  if (!built) {
    report_not_saved(request.output.path, globals);
    return stop(built.error());
  }
  built->part.set_provenance({plan->whole.goal, built->part.provenance().keys_inserted});
  const Health health = built->part.health();
  NativePart native{std::move(built->part), funnel};
  if (request.strict && health.verdict != Verdict::kOk)
    return complain(request.output.path,
                    message("not saved: the part would be over its design (its false-positive rate "
                            "is ",
                            format_probability(health.error_rate), "), which --strict forbids"),
                    kExitRefused);
  if (auto saved = save_native_part(native, request.output.path, &session.locked.lock); !saved)
    return complain(request.output.path, saved.error(), Blame::kArguments);
  built->part = std::move(native.filter);
  report(request, *built, health, globals);
  if (!globals.quiet && health.verdict != Verdict::kOk)
    warn(request.output.path, message("the part is over its design; its false-positive rate is ",
                                      format_probability(health.error_rate)));
  return kExitSuccess;
}

}  // namespace bloomery::cli
