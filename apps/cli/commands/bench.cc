// bloomery bench: speed and false-positive rate of our filters on this machine.
#include <iostream>
#include <memory>

#include "apps/cli/commands/speed_trial.h"
#include "apps/cli/filters/plan.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/shell/command.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "bloomery/base/message.h"
#include "bloomery/layout/block_sizing.h"
#include "bloomery/simd/block_kernels.h"

namespace bloomery::cli {
namespace {

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  bloomery bench                     done in 20 seconds, for a million keys and for ten\n"
    "  bloomery bench -n 100k -p 0.1%     for another filter\n"
    "  bloomery bench --json              for scripts\n"
    "  BLOOMERY_CPU=avx2 bloomery bench   as a CPU without AVX-512 would\n";

constexpr double kSeconds = 20;
constexpr double kShareOfRounds = 0.85;  // the rest is making keys

struct BenchOptions {
  std::optional<std::uint64_t> keys;
  std::optional<double> rate;
  double seconds = kSeconds;
};

Json to_json(const std::vector<SpeedRow>& rows) {
  auto json = Json::array();
  for (const SpeedRow& row : rows)
    json.push_back({{"name", row.name},
                    {"layout", row.layout},
                    {"keys", row.keys},
                    {"bits_per_key", row.bits_per_key},
                    {"fpr", row.rate},
                    {"insert_ns", row.insert_ns},
                    {"hit_ns", row.hit_ns},
                    {"miss_ns", row.miss_ns},
                    {"batch", row.batch}});
  return json;
}

void print_for_people(const std::vector<SpeedRow>& rows, double rate) {
  std::cout << message(format_count(rows.front().keys), " keys of 16 bytes at ",
                       format_probability(rate), ", ns per key, kernels ",
                       simd::active_block_kernels().name, "\n");
  std::vector<std::vector<std::string>> table;
  table.push_back(
      {"filter", "keys at a time", "insert", "hit", "miss", "bits/key", "measured rate"});
  for (const SpeedRow& row : rows)
    table.push_back({row.name, row.batch ? "many" : "one", significant(row.insert_ns, 3),
                     significant(row.hit_ns, 3), significant(row.miss_ns, 3),
                     significant(row.bits_per_key, 4), format_probability(row.rate)});
  print_table(table, 2);
  if (const SpeedRow* fastest = winner(rows))
    std::cout << "fastest lookups: " << fastest->name << (fastest->batch ? ", many" : ", one")
              << " at a time\n";
  else
    std::cout << "no winner: the rounds differ by more than 5 %; try again on a quieter machine\n";
}

// What the trial takes at its largest: keys and their views, absent ones, and the hashes of the
// seeded build beside the filters.
std::uint64_t memory_of(std::uint64_t keys) { return keys * (16 + 16 + 16 + 16) + (256 << 20); }

Status check(const SpeedPlan& plan, const Globals& globals) {
  if (auto fits = block_shape_for(plan.goal); !fits) return fits.error();
  const std::uint64_t bytes = memory_of(plan.goal.keys);
  if (bytes <= globals.memory) return ok();
  return Error{ErrorCode::kTooLarge,
               message("a trial of ", plan.goal.keys, " keys takes ", format_bytes(bytes),
                       "; --memory allows ", format_bytes(globals.memory))};
}

int bench(const BenchOptions& options, Session& session) {
  std::vector<std::uint64_t> sizes = {1'000'000, 10'000'000};
  if (options.keys) sizes = {*options.keys};
  const double rate = options.rate.value_or(kDefaultRate);
  const double budget = options.seconds * kShareOfRounds;
  const double seconds = budget / static_cast<double>(sizes.size());
  constexpr double kMilli = 1000;
  Progress progress{session.globals, static_cast<std::uint64_t>(budget * kMilli), "runs"};
  std::uint64_t runs = 0;
  const auto tick = [&] {
    progress.update(++runs, static_cast<std::uint64_t>(progress.seconds() * kMilli));
  };
  std::vector<SpeedRow> all;
  for (const std::uint64_t keys : sizes) {
    const SpeedPlan plan{{keys, rate}, seconds};
    if (auto fits = check(plan, session.globals); !fits)
      return complain("bench", fits.error(), Blame::kArguments);
    const auto rows = run_speed_trial(plan, tick);
    if (!rows) return complain("bench", rows.error(), Blame::kArguments);
    progress.finish();
    if (!session.globals.json) {
      if (!all.empty()) std::cout << '\n';
      print_for_people(*rows, rate);
      std::cout.flush();
    }
    all.insert(all.end(), rows->begin(), rows->end());
  }
  if (session.globals.json) std::cout << to_json(all).dump() << '\n';
  return kExitSuccess;
}

}  // namespace

void attach_bench(CommandLine& subcommand, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  subcommand.examples(kBenchExamples);
  subcommand.add_count("-n,--keys", options->keys, "Number of keys (default: 1M, then 10M)");
  subcommand.add_probability("-p,--fpr", options->rate,
                             "False-positive rate of the filters (default: 1%)");
  subcommand
      .add_option("--seconds", options->seconds,
                  "Time limit; at least one round is run (default: 20)")
      ->value_name("S")
      ->between(0, 86'400);
  subcommand.action([options, &session] { session.exit_code = bench(*options, session); });
}

}  // namespace bloomery::cli
