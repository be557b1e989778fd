#include "apps/cli/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

double per_second(const Summary& summary) {
  return summary.seconds > 0 ? static_cast<double>(summary.records) / summary.seconds : 0;
}

}  // namespace

double expected_wrongly_dropped(double kept, double fill_before, const Health& now) {
  if (now.fill <= 0 || now.fill >= 1 || now.error_rate <= 0 || now.error_rate >= 1) return 0;
  // As many probes as explain this rate at this fill: right for one array of bits, close for
  // layers.
  const double probes = std::log(now.error_rate) / std::log(now.fill);
  constexpr int kSteps = 256;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double empty = std::pow(1 - fill_before, 1 - share) * std::pow(1 - now.fill, share);
    const double rate = std::pow(1 - empty, probes);
    sum += rate / (1 - rate);
  }
  return kept * sum / kSteps;
}

std::string summary_json(const Summary& summary) {
  nlohmann::ordered_json json;
  json["records"] = summary.records;
  json["selected"] = summary.selected;
  json["dropped"] = summary.records - summary.selected;
  json["seconds"] = summary.seconds;
  json["records_per_second"] = per_second(summary);
  json["bytes"] = summary.filter.bytes;
  json["fill"] = nullptr;
  json["estimated_fpr"] = nullptr;
  if (summary.filter.health) {
    json["fill"] = summary.filter.health->fill;
    json["estimated_fpr"] = summary.filter.health->error_rate;
  }
  return json.dump() + "\n";
}

std::string insertion_sentence(const Summary& summary, std::optional<double> fill_before) {
  std::string sentence =
      message(summary.records, " records in ", format_seconds(summary.seconds), " (",
              format_count(per_second(summary)), "/s): ", summary.selected, " kept, ",
              summary.records - summary.selected, " dropped as seen before");
  if (!summary.filter.health) return sentence;
  const Health& health = *summary.filter.health;
  if (fill_before) {
    const double wrongly =
        expected_wrongly_dropped(static_cast<double>(summary.selected), *fill_before, health);
    sentence +=
        message(" (about ", wrongly < 9.5 ? std::round(wrongly * 10) / 10 : std::round(wrongly),
                " of them wrongly)");
  }
  return sentence + message("; fill ", format_probability(health.fill), ", false positives ",
                            format_probability(health.error_rate));
}

std::string shape_sentence(const Description& filter) {
  std::string sentence;
  if (filter.bits) sentence += message(format_count(static_cast<double>(*filter.bits)), " bits, ");
  if (filter.probes) sentence += message(*filter.probes, " probes, ");
  return sentence + format_bytes(filter.bytes);
}

}  // namespace bloomery::cli
