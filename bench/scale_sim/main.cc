// scale_sim: builds one part of a filter of up to 10^13 keys, and compares its rate with theory.
//   scale_sim --keys 1e12 --rate 0.01                    the part 1/4096 of such a filter
//   scale_sim --keys 1e10 --source scan --hash xxh3-64   of all numbers, those that fall there
//   scale_sim --keys 1e12 --fill                         while it fills, 10 % to 150 %
//   scale_sim --check                                    seconds; ends with 1 where theory fails
//   scale_sim --tables                                   the tables of docs/scale.md
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <optional>
#include <string_view>

#include "bench/scale_sim/simulation.h"
#include "bench/scale_sim/tables.h"
#include "bench/scale_sim/wording.h"

namespace bloomery::bench {
namespace {

constexpr double kPartKeys = 1e12 / 4096;
constexpr double kMostDeviations = 4.0;  // of an error that is still chance

struct Options {
  double keys = 1e12;
  double rate = 0.01;
  double queries = 1e8;
  double part_keys = kPartKeys;
  std::optional<double> blocks;  // instead of those for keys and rate
  std::uint32_t probes = 8;
  std::uint64_t seed = 1;
  Profile profile = Profile::kXxh3_64;
  KeySource::Kind source = KeySource::Kind::kInverse;
  bool fill = false;
  bool check = false;
  bool tables = false;
};

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !(number > 0)) return {};
  return number;
}

int failed(const Error& error) {
  std::cerr << "scale_sim: " << error.message << '\n';
  return 2;
}

int usage(std::string_view why) {
  std::cerr << "scale_sim: " << why
            << "\nusage: scale_sim [--keys N] [--rate P] [--part-keys N] [--queries N] [--seed N]\n"
               "         [--hash xxh3|xxh3-64|mix] [--source inverse|scan] [--fill]\n"
               "         [--blocks N --probes K]\n"
               "       scale_sim --check | --tables\n";
  return 2;
}

// Empty where all is well.
std::string set_word(Options& options, std::string_view name, std::string_view value) {
  if (name == "--hash") {
    const auto profile = find_profile(value);
    if (!profile) return "no hash has this name: " + std::string{value};
    options.profile = *profile;
    return {};
  }
  if (name == "--source") {
    options.source = value == "scan" ? KeySource::Kind::kScan : KeySource::Kind::kInverse;
    return value == "scan" || value == "inverse" ? "" : "--source is inverse or scan";
  }
  const auto number = number_in(value);
  if (!number) return std::string{name} + " needs a positive number";
  if (name == "--keys")
    options.keys = *number;
  else if (name == "--rate")
    options.rate = *number;
  else if (name == "--queries")
    options.queries = *number;
  else if (name == "--part-keys")
    options.part_keys = *number;
  else if (name == "--blocks")
    options.blocks = *number;
  else if (name == "--probes")
    options.probes = static_cast<std::uint32_t>(*number);
  else if (name == "--seed")
    options.seed = static_cast<std::uint64_t>(*number);
  else
    return "no such option: " + std::string{name};
  return {};
}

Result<Trial> trial_of(const Options& options) {
  const Goal goal{static_cast<std::uint64_t>(options.keys), options.rate};
  BlockShape shape{};
  if (options.blocks) {
    const auto valid =
        checked(BlockShape{static_cast<std::uint64_t>(*options.blocks), options.probes});
    if (!valid) return valid.error();
    shape = *valid;
  } else {
    const auto planned = block_shape_for(goal);
    if (!planned) return planned.error();
    shape = *planned;
  }
  const auto parts = static_cast<std::uint32_t>(
      std::clamp(std::round(options.keys / options.part_keys), 1.0, double{kMaxParts}));
  // A part somewhere in the middle: the first would hide an error in where parts begin.
  Trial trial{goal,
              shape,
              {parts / 3 * 2, parts},
              options.profile,
              options.source,
              options.seed,
              static_cast<std::uint64_t>(options.queries)};
  if (options.fill)
    trial.steps = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5};
  return trial;
}

void print_head(std::ostream& out) {
  out << "| keys | goal | hash | keys from | part | keys in it | expected | by queries | 95 % | by "
         "its bits | off | false negatives | build ns | hit ns | miss ns |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
}

void print_rows(std::ostream& out, const Trial& trial, const Outcome& outcome) {
  for (const Measured& step : outcome.steps)
    out << "| " << power_of_ten(step.keys) << " | " << percent(trial.goal.false_positive_rate, 1)
        << " | " << profile_name(trial.profile) << " | "
        << (trial.keys == KeySource::Kind::kScan ? "scan" : "inverse") << " | " << trial.part.index
        << '/' << trial.part.parts << " of "
        << bytes_in_words(static_cast<double>(outcome.part_bytes)) << " | "
        << grouped(step.part_keys) << " | " << rate_in_words(step.expected) << " | "
        << rate_in_words(step.rate()) << " | ±" << rate_in_words(1.96 * step.query_deviation())
        << " | " << rate_in_words(step.bits_rate) << " | "
        << signed_percent(step.bits_rate / step.expected - 1, 3) << " | " << outcome.false_negatives
        << " | " << three_digits(outcome.build_ns) << " | " << three_digits(outcome.hit_ns) << " | "
        << three_digits(outcome.miss_ns) << " |\n";
}

bool agrees(const Outcome& outcome) {
  const auto within = [](const Measured& step) {
    return std::abs(step.error()) <= kMostDeviations &&
           std::abs(step.bits_error()) <= kMostDeviations;
  };
  return outcome.misrouted == 0 && outcome.false_negatives == 0 &&
         std::ranges::all_of(outcome.steps, within);
}

int run_one(const Options& options) {
  const auto trial = trial_of(options);
  if (!trial) return failed(trial.error());
  const auto outcome = simulate(*trial);
  if (!outcome) return failed(outcome.error());
  print_rows(std::cout, *trial, *outcome);
  if (agrees(*outcome)) return 0;
  std::cerr << "scale_sim: theory and measurement lie more than " << kMostDeviations
            << " standard deviations apart, or keys were lost\n";
  return 1;
}

// Parts of a million keys, of filters of all sizes.
int check() {
  print_head(std::cout);
  int worst = 0;
  std::uint64_t seed = 0;
  for (const double rate : {0.01, 0.001})
    for (const double keys : {1e9, 1e12, 1e13})
      for (const Profile profile : {Profile::kXxh3, Profile::kXxh3_64}) {
        Options options;
        options.keys = keys;
        options.rate = rate;
        options.profile = profile;
        options.part_keys = 1e6;
        options.queries = 1e6;
        options.seed = ++seed;
        worst = std::max(worst, run_one(options));
      }
  std::cout << (worst == 0 ? "all agree with theory\n" : "some disagree with theory\n");
  return worst;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--fill")
      options.fill = true;
    else if (name == "--check")
      options.check = true;
    else if (name == "--tables")
      options.tables = true;
    else if (i + 1 == argc)
      return usage(std::string{name} + " is no option, or needs a value");
    else if (const std::string why = set_word(options, name, argv[++i]); !why.empty())
      return usage(why);
  }
  if (options.tables) {
    print_tables(std::cout, {});
    return 0;
  }
  if (options.check) return check();
  print_head(std::cout);
  return run_one(options);
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) { return bloomery::bench::run(argc, argv); }
