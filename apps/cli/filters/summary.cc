#include "apps/cli/filters/summary.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/secrets.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

double per_second(const Summary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.records) / summary.seconds : 0;
}

}  // namespace

double expected_wrongly_dropped(double kept, double fill_before, const Health& now, double others) {
  if (now.fill <= 0 || now.fill >= 1 || now.error_rate <= 0 || now.error_rate >= 1) return 0;
  // As many probes as explain this rate at this fill.
  const double probes = std::log(now.error_rate) / std::log(now.fill);
  constexpr int kSteps = 256;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double empty = std::pow(1 - fill_before, 1 - share) * std::pow(1 - now.fill, share);
    const double rate = 1 - (1 - others) * (1 - std::pow(1 - empty, probes));
    sum += rate / (1 - rate);
  }
  return kept * sum / kSteps;
}

namespace {

double keys_of(const LayerDescription& layer) {
  return layer.keys_inserted ? static_cast<double>(*layer.keys_inserted)
                             : layer.health.estimated_keys;
}

}  // namespace

double expected_collisions(double kept, const Description& before, const Description& now) {
  if (!now.health) return 0;
  if (now.layers.size() < 2 || now.layout != "scalable")
    return expected_wrongly_dropped(kept, before.health ? before.health->fill : 0, *now.health);
  double expected = 0;
  double older = 0;  // the rate of the layers before this one
  for (std::size_t i = 0; i < now.layers.size(); ++i) {
    const LayerDescription& layer = now.layers[i];
    const bool was_there = i < before.layers.size();
    const double added = keys_of(layer) - (was_there ? keys_of(before.layers[i]) : 0);
    const double fill_before = was_there ? before.layers[i].health.fill : 0;
    expected += expected_wrongly_dropped(std::max(0.0, added), fill_before, layer.health, older);
    older += (1 - older) * layer.health.error_rate;
  }
  return expected;
}

std::string rounded_expectation(double expected) {
  return expected < 9.5 ? message(std::round(expected * 10) / 10) : format_count(expected);
}

std::string summary_json(const Summary& summary) {
  Json json;
  json["records"] = summary.records;
  json["selected"] = summary.selected;
  json["dropped"] = summary.left_out();
  json["seconds"] = summary.seconds;
  json["records_per_second"] = per_second(summary);
  json["bytes"] = summary.filter.bytes;
  json["fill"] = nullptr;
  json["estimated_fpr"] = nullptr;
  if (summary.filter.health) {
    json["fill"] = summary.filter.health->fill;
    json["estimated_fpr"] = summary.filter.health->error_rate;
  }
  json["skipped"] = summary.skipped;
  if (summary.malformed) json["malformed"] = *summary.malformed;
  if (summary.has_expected_wrong_drops) {
    Json& expected = json["expected_wrong_drops"];
    if (summary.expected_wrong_drops) expected = *summary.expected_wrong_drops;
    json["suspects"] = or_null(summary.suspects);
    json["repeated_keys"] = or_null(summary.repeated_keys);
  }
  return json.dump() + "\n";
}

std::string skipped_sentence(std::uint64_t skipped) {
  return message(format_count(skipped), skipped == 1 ? " record without a key was skipped"
                                                     : " records without a key were skipped");
}

std::string malformed_sentence(std::uint64_t malformed, std::string_view fate) {
  return message(format_count(malformed),
                 malformed == 1 ? " malformed row was " : " malformed rows were ", fate);
}

void report_not_saved(const std::string& path, const Globals& globals) {
  if (globals.quiet) return;
  std::error_code ignored;
  std::cerr << "bloomery: " << name_without_secrets(path) << ": not saved"
            << (path != "-" && std::filesystem::exists(path, ignored)
                    ? "; the old file is unchanged"
                    : "")
            << '\n';
}

namespace {

std::string collision_sentence(const Summary& summary, const Description& before) {
  if (summary.filter.health->verdict == Verdict::kSaturated)
    return " (the filter is saturated: most of them may be collisions)";
  const double expected =
      expected_collisions(static_cast<double>(summary.selected), before, summary.filter);
  const bool fewer = expected >= static_cast<double>(summary.left_out()) + 0.5;
  return message(" (about ", rounded_expectation(expected), " collisions expected",
                 fewer ? " on average" : "", ")");
}

}  // namespace

std::string insertion_sentence(const Summary& summary, const std::optional<Description>& before) {
  const std::uint64_t old = summary.left_out();
  std::string sentence =
      message(counted(summary.records - summary.skipped, "record"), " added in ",
              format_seconds(summary.seconds), " (", format_speed(per_second(summary)), "); ",
              format_count(old), old == 1 ? " was" : " were", " already present or collided");
  if (before && summary.filter.health) sentence += collision_sentence(summary, *before);
  if (summary.skipped > 0) sentence += "; " + skipped_sentence(summary.skipped);
  if (summary.malformed.value_or(0) > 0) sentence += "; " + malformed_sentence(*summary.malformed);
  if (!summary.filter.health) return sentence;
  return sentence + message("; fill ", format_probability(summary.filter.health->fill),
                            ", false positives ",
                            format_probability(summary.filter.health->error_rate));
}

std::string shape_sentence(const Description& filter) {
  std::string sentence;
  if (filter.bits) sentence += message(format_count(*filter.bits), " bits, ");
  if (filter.probes) sentence += message(*filter.probes, " probes, ");
  return sentence + format_bytes(filter.bytes);
}

}  // namespace bloomery::cli
