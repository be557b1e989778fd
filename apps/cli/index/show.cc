// bloomery index list, inspect and verify.
#include <cmath>
#include <iostream>
#include <memory>

#include "apps/cli/filters/report.h"
#include "apps/cli/index/command.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

struct ShowOptions {
  std::string index;
  FormatOptions secret;
  bool verbose = false;
};

double fill_of(const IndexView& index, const IndexedFilter& filter) {
  return static_cast<double>(filter.ones) / static_cast<double>(index.shape().bits);
}

template <class Use>
void for_each_filter(const IndexView& index, Use use) {
  for (std::uint64_t column = 0; column < index.columns(); ++column)
    if (!index.is_deleted(column)) use(index.filter(column));
}

int run_list(const ShowOptions& options, Session& session) {
  const auto index = open_index(options.index, options.secret, session);
  if (!index) return session.exit_code;
  const IndexView& view = index->view();
  if (session.globals.json) {
    auto all = Json::array();
    for_each_filter(view, [&](const IndexedFilter& filter) {
      const auto& goal = filter.provenance.goal;
      all.push_back({{"name", filter.name},
                     {"fill", fill_of(view, filter)},
                     {"estimated_fpr", filter.rate},
                     {"keys_inserted", or_null(filter.provenance.keys_inserted)},
                     {"goal_keys", goal ? Json(goal->keys) : Json(nullptr)},
                     {"goal_fpr", goal ? Json(goal->false_positive_rate) : Json(nullptr)}});
    });
    std::cout << all.dump() << '\n';
    return kExitSuccess;
  }
  if (!options.verbose) {
    for_each_filter(view, [](const IndexedFilter& filter) { std::cout << filter.name << '\n'; });
    return kExitSuccess;
  }
  std::vector<std::vector<std::string>> table{{"filter", "fill", "false positives", "keys"}};
  for_each_filter(view, [&](const IndexedFilter& filter) {
    const auto keys = filter.provenance.keys_inserted;
    table.push_back({std::string{filter.name}, format_probability(fill_of(view, filter)),
                     format_probability(filter.rate), keys ? format_count(*keys) : "unknown"});
  });
  print_table(table, 1);
  return kExitSuccess;
}

std::string_view layout_of(const NativeHeader& shape) {
  if (shape.kind == NativeKind::kClassic) return "classic";
  return shape.kind == NativeKind::kBlock ? "block" : "lines";
}

// The mean fill, and the largest rate.
struct Extent {
  double fill = 0;
  double highest_rate = 0;
};
Extent extent_of(const IndexView& view) {
  Extent extent;
  for_each_filter(view, [&](const IndexedFilter& filter) {
    extent.fill += fill_of(view, filter) / static_cast<double>(view.filters());
    extent.highest_rate = std::max(extent.highest_rate, filter.rate);
  });
  return extent;
}

int run_inspect(const ShowOptions& options, Session& session) {
  const auto index = open_index(options.index, options.secret, session);
  if (!index) return session.exit_code;
  const IndexView& view = index->view();
  const IndexDirectory& directory = view.directory();
  const NativeHeader& shape = view.shape();
  const Extent extent = extent_of(view);
  const auto profile = static_cast<Profile>(shape.profile);
  const std::uint64_t deleted = view.columns() - view.filters();
  if (session.globals.json) {
    std::cout << Json{{"index", options.index},
                      {"filters", view.filters()},
                      {"deleted", deleted},
                      {"segments", std::uint64_t{directory.segments.size()}},
                      {"changes", directory.header.changes},
                      {"bytes", directory.header.file_bytes},
                      {"dead_bytes", directory.dead_bytes()},
                      {"layout", layout_of(shape)},
                      {"bits", shape.bits},
                      {"probes", std::uint64_t{shape.probes}},
                      {"profile", profile_name(profile)},
                      {"funnel", funnel_name(shape.funnel)},
                      {"fill", extent.fill},
                      {"highest_fpr", extent.highest_rate},
                      {"expected_false_hits", view.expected_false_hits()}}
                     .dump()
              << '\n';
    return kExitSuccess;
  }
  Report report;
  report.row("index", options.index);
  report.row("filters", message(format_count(view.filters()), " of ", layout_of(shape), ", ",
                                format_count(shape.bits), " bits, ", shape.probes, " probes"));
  report.row("keys",
             message("funnel ", funnel_name(shape.funnel), ", hash ", profile_name(profile)));
  report.row("size", message(format_bytes(directory.header.file_bytes), " in ",
                             counted(directory.segments.size(), "segment")));
  report.row("unused", message(format_bytes(directory.dead_bytes()), ", and ",
                               counted(deleted, "deleted filter")));
  report.row("fill", message(format_probability(extent.fill), " on average"));
  report.row("false positives", message("at most ", format_probability(extent.highest_rate),
                                        " of one filter; an absent key is expected in ",
                                        significant(view.expected_false_hits(), 3), " of them"));
  report.print();
  return kExitSuccess;
}

int run_verify(const ShowOptions& options, Session& session) {
  const auto index = open_index(options.index, options.secret, session);
  if (!index) return session.exit_code;
  if (auto valid = index->verify(); !valid)
    return complain(options.index, valid.error(), Blame::kFilterFile);
  if (session.globals.json)
    std::cout << Json{{"index", options.index}, {"ok", true}, {"checksum", "ok"}}.dump() << '\n';
  else
    std::cout << options.index << ": ok (" << counted(index->view().filters(), "filter")
              << ", checksums and structure)\n";
  return kExitSuccess;
}

std::shared_ptr<ShowOptions> add_show_options(CommandLine& subcommand) {
  auto options = std::make_shared<ShowOptions>();
  add_index_argument(subcommand, options->index, "The index");
  subcommand
      .add_option("--secret-file", options->secret.secret_file,
                  "File with the secret of keyed filters")
      ->value_name("FILE");
  return options;
}

}  // namespace

void attach_index_list(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery index list days.bloomindex\n"
      "  bloomery index list --long days.bloomindex     with fill and false-positive rate\n");
  const auto options = add_show_options(subcommand);
  subcommand.add_flag("-l,--long", options->verbose,
                      "Print fill, false-positive rate and keys of each filter");
  subcommand.action([options, &session] { session.exit_code = run_list(*options, session); });
}

void attach_index_inspect(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery index inspect days.bloomindex\n"
      "  bloomery index inspect --json days.bloomindex\n");
  const auto options = add_show_options(subcommand);
  subcommand.action([options, &session] { session.exit_code = run_inspect(*options, session); });
}

void attach_index_verify(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery index verify days.bloomindex          exit 3 if a byte of it was damaged\n");
  const auto options = add_show_options(subcommand);
  subcommand.action([options, &session] { session.exit_code = run_verify(*options, session); });
}

}  // namespace bloomery::cli
