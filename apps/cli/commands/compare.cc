#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/report.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/secrets.h"

namespace bloomery::cli {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  FormatOptions format;
};

struct Overlap {  // of distinct keys, estimated from the bits
  double a;
  double b;
  double both;
  double either;
  double jaccard() const { return either > 0 ? both / either : 1; }
};

struct Comparison {
  bool equal;
  bool a_within_b;
  bool b_within_a;
  std::optional<Overlap> overlap;  // none where a filter cannot estimate its keys or be merged
};

std::optional<double> keys_of(const AnyFilter& filter) {
  const auto health = describe(filter).health;
  if (!health) return std::nullopt;
  return health->estimated_keys;
}

// The union's bits are exact, so |A and B| = |A| + |B| - |A or B|. The AND of the bits is not the
// filter of the common keys: it would overestimate them.
std::optional<Overlap> overlap_of(const AnyFilter& a, const AnyFilter& b) {
  auto either = clone(a);
  if (!either || !merge(*either, b)) return std::nullopt;
  const auto keys_a = keys_of(a);
  const auto keys_b = keys_of(b);
  const auto keys_either = keys_of(*either);
  if (!keys_a || !keys_b || !keys_either) return std::nullopt;
  const double both = std::clamp(*keys_a + *keys_b - *keys_either, 0.0, std::min(*keys_a, *keys_b));
  return Overlap{*keys_a, *keys_b, both, *keys_either};
}

Result<Comparison> compare_filters(const AnyFilter& a, const AnyFilter& b) {
  const auto a_within_b = is_subset_of(a, b);
  if (!a_within_b) return a_within_b.error();
  const auto b_within_a = is_subset_of(b, a);
  if (!b_within_a) return b_within_a.error();
  const auto equal = is_equal(a, b);
  if (!equal) return equal.error();
  return Comparison{*equal, *a_within_b, *b_within_a, overlap_of(a, b)};
}

std::string relation(const Comparison& comparison) {
  if (comparison.equal) return "equal";
  if (comparison.a_within_b && comparison.b_within_a) return "the same bits";
  if (comparison.a_within_b) return "every key of A is in B";
  if (comparison.b_within_a) return "every key of B is in A";
  return "neither contains the other";
}

void print_for_people(const CompareOptions& options, const Comparison& comparison) {
  Report report;
  report.row("A", name_without_secrets(options.a));
  report.row("B", name_without_secrets(options.b));
  report.row("relation", relation(comparison));
  if (comparison.overlap) {
    const Overlap& overlap = *comparison.overlap;
    report.row("keys in A", "about " + format_count(overlap.a));
    report.row("keys in B", "about " + format_count(overlap.b));
    report.row("keys in either", "about " + format_count(overlap.either));
    report.row("keys in both", "about " + format_count(overlap.both));
    report.row("similarity", significant(overlap.jaccard(), 3) + " (Jaccard: both / either)");
  } else {
    report.row("overlap", "unknown: this kind of filter cannot estimate it");
  }
  report.print();
}

Json to_json(const Comparison& comparison) {
  Json json{{"equal", comparison.equal},
            {"a_subset_of_b", comparison.a_within_b},
            {"b_subset_of_a", comparison.b_within_a}};
  const auto& overlap = comparison.overlap;
  const auto rounded = [&](double Overlap::*member) {
    return overlap ? Json(std::llround((*overlap).*member)) : Json(nullptr);
  };
  json["estimated_keys_a"] = rounded(&Overlap::a);
  json["estimated_keys_b"] = rounded(&Overlap::b);
  json["estimated_union"] = rounded(&Overlap::either);
  json["estimated_intersection"] = rounded(&Overlap::both);
  json["jaccard"] = overlap ? Json(overlap->jaccard()) : Json(nullptr);
  return json;
}

int compare(const CompareOptions& options, Session& session) {
  const auto a = open_filter(options.a, options.format, session);
  if (!a) return session.exit_code;
  const auto b = open_filter(options.b, options.format, session);
  if (!b) return session.exit_code;
  const auto comparison = compare_filters(a->filter, b->filter);
  if (!comparison)
    return complain(message(options.a, " and ", options.b), comparison.error(), Blame::kFilterFile);
  if (session.globals.json) {
    std::cout << to_json(*comparison).dump() << '\n';
  } else {
    print_for_people(options, *comparison);
  }
  return kExitSuccess;
}

}  // namespace

void attach_compare(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery compare monday.bloom tuesday.bloom     equal, subset, common keys\n"
      "  bloomery compare --json a.bloom b.bloom | jq .jaccard\n");
  auto options = std::make_shared<CompareOptions>();
  subcommand.add_option("A", options->a, "A filter file")->required();
  subcommand.add_option("B", options->b, "A filter file of the same kind and shape")->required();
  add_format_options(subcommand, options->format);
  subcommand.action([options, &session] { session.exit_code = compare(*options, session); });
}

}  // namespace bloomery::cli
