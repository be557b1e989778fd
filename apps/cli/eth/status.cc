// eth status and eth verify: the commands that look at a chain folder as a whole.
#include "apps/ethlog/check/status.h"

#include <iostream>
#include <memory>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/search_cost.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "apps/ethlog/check/verify.h"
#include "apps/ethlog/store/chain_census.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

double per_block(std::uint64_t bytes, const AdaptiveStatus& status) {
  return static_cast<double>(bytes) / static_cast<double>(status.blocks);
}

Json to_json(const AdaptiveStatus& status) {
  return {{"sections", status.sections},
          {"indexed_blocks", status.blocks},
          {"sections_of_version_1", status.old_sections},
          {"rows", {status.least_rows, status.most_rows}},
          {"probes", {status.least_probes, status.most_probes}},
          {"keys", status.keys},
          {"bytes", status.row_bytes},
          {"bytes_per_block", per_block(status.row_bytes, status)},
          {"column_bytes", status.column_bytes},
          {"goal", status.goal},
          {"rate", status.rate},
          {"worst_rate", status.worst_rate},
          {"worst_section", status.worst_section},
          {"measured_rate", status.measured_rate},
          {"measured_pairs", status.measured_pairs}};
}

Json to_json(const std::vector<ethlog::BlockRange>& ranges) {
  Json list = Json::array();
  for (const ethlog::BlockRange& range : ranges) list.push_back({range.first, range.last});
  return list;
}

Json to_json(const ChainStatus& status) {
  Json json{{"kind", status.geth ? "geth" : "bloomery"},
            {"chain_id", or_null(status.chain_id)},
            {"lowest", or_null(status.lowest)},
            {"head", or_null(status.head)},
            {"head_hash", status.head_hash ? Json(status.head_hash->hex()) : Json(nullptr)}};
  if (status.counts) {
    json["blocks"] = status.counts->blocks;
    json["unverified"] = status.counts->unverified;
    json["gaps"] = status.counts->gaps;
  } else {
    json["frozen_blocks"] = status.frozen_blocks;
  }
  if (!status.gaps.empty()) json["missing_ranges"] = to_json(status.gaps);
  if (!status.lost.empty()) json["lost"] = to_json(status.lost);
  json["bloombits"] = {{"section_size", status.section_size},
                       {"sections", status.sections},
                       {"indexed_blocks", status.indexed_blocks}};
  if (status.bloombits) {
    json["bloombits"]["sampled_sections"] = status.bloombits->sampled_sections;
    json["bloombits"]["bytes_per_block"] = status.bloombits->bytes_per_block;
    json["bloombits"]["rate"] = status.bloombits->rate;
  }
  if (status.adaptive) json["adaptive"] = to_json(*status.adaptive);
  return json;
}

std::string versions_of(const AdaptiveStatus& status) {
  if (status.old_sections == 0) return "2";
  if (status.old_sections == status.sections) return "1";
  return message("1 (", format_count(status.old_sections), " sections) and 2");
}

std::string range_of(std::uint32_t least, std::uint32_t most) {
  return least == most ? format_count(least)
                       : message(format_count(least), " to ", format_count(most));
}

void add_indexes(const ChainStatus& status, Report& report) {
  report.row("bloombits", message(format_count(status.indexed_blocks), " blocks in sections of ",
                                  format_count(status.section_size)));
  if (status.bloombits)
    report.row("  real rate",
               message(format_probability(status.bloombits->rate), " at ",
                       significant(status.bloombits->bytes_per_block, 4), " bytes a block, by ",
                       format_count(status.bloombits->sampled_sections), " sections"));
  if (!status.adaptive) return report.row("adaptive", "none");
  const AdaptiveStatus& adaptive = *status.adaptive;
  report.row("adaptive",
             message(format_count(adaptive.blocks), " blocks in ", format_count(adaptive.sections),
                     " sections of ", range_of(adaptive.least_rows, adaptive.most_rows), " rows, ",
                     range_of(adaptive.least_probes, adaptive.most_probes), " probes"));
  report.row("  version", message(versions_of(adaptive), ", sections of ",
                                  format_count(status.section_size), " blocks"));
  report.row("  size", message(format_bytes(adaptive.row_bytes), ", ",
                               significant(per_block(adaptive.row_bytes, adaptive), 4),
                               " bytes a block; columns ", format_bytes(adaptive.column_bytes)));
  report.row("  real rate", message(format_probability(adaptive.rate), ", the worst section ",
                                    format_probability(adaptive.worst_rate), "; measured ",
                                    format_probability(adaptive.measured_rate), "; set to ",
                                    format_probability(adaptive.goal)));
}

// Precondition: cheaper_searches() returned none.
std::string nothing_cheaper(const ChainStatus& status) {
  if (status.adaptive || status.sections > 0) return "nothing to do: every section is indexed";
  return message("nothing to do: no section is complete yet (", format_count(status.section_size),
                 " blocks each, and ", kDefaultConfirms, " after them)");
}

// What a search for an absent address over all blocks costs, and how to lower that.
void add_search(const std::string& folder, const ChainStatus& status, const SearchEstimate& cost,
                Report& report) {
  const SearchEstimatePart all = cost.total();
  report.row("search", message("an absent address over ", format_count(all.blocks), " blocks: ",
                               cost.problem.empty()
                                   ? message("about ", significant(all.milliseconds, 2), " ms")
                                   : std::string{"not known"}));
  add_search_cost(cost, report);
  const std::vector<std::string> cheaper = cheaper_searches(folder, status);
  for (const std::string& one : cheaper) report.row("  cheaper", one);
  if (cheaper.empty()) report.row("  cheaper", nothing_cheaper(status));
}

void print_for_people(const std::string& folder, const ChainStatus& status,
                      const SearchEstimate& cost) {
  Report report;
  report.row("chain", folder + (status.geth ? ", of geth" : ""));
  if (status.chain_id) report.row("chain id", std::to_string(*status.chain_id));
  if (!status.head) {
    report.row("blocks", "none");
    return report.print();
  }
  report.row("blocks", message(status.lowest.value_or(0), " to ", *status.head));
  if (status.head_hash) report.row("head", status.head_hash->hex());
  if (status.counts) {
    report.row("stored", format_count(status.counts->blocks));
    report.row("missing", status.gaps.empty() ? format_count(status.counts->gaps)
                                              : message(format_count(status.counts->gaps), ": ",
                                                        text_of_ranges(status.gaps)));
    report.row("unverified", format_count(status.counts->unverified));
  } else {
    report.row("in the freezer", format_count(status.frozen_blocks));
    if (!status.gaps.empty()) report.row("missing", text_of_ranges(status.gaps));
  }
  add_indexes(status, report);
  add_search(folder, status, cost, report);
  report.print();
}

int print_status(const std::string& folder, const Session& session) {
  const auto chain = ChainFolder::open(folder);
  if (!chain) return complain(folder, chain.error(), Blame::kArguments);
  const auto status = status_of(*chain);
  if (!status) return complain(folder, status.error(), Blame::kFilterFile);
  const SearchEstimate cost = estimate_search_cost(chain->reader(), *status);
  if (session.globals.json) {
    Json json = to_json(*status);
    json["search"] = search_cost_json(cost);
    json["cheaper"] = cheaper_searches(folder, *status);
    std::cout << json.dump() << '\n';
  } else {
    print_for_people(folder, *status, cost);
  }
  std::cout.flush();
  if (!status->lost.empty() && status->geth)
    return complain(folder, message("the database lost ", text_of_ranges(status->lost)),
                    kExitBadFilter);
  if (!status->lost.empty()) return complain(lost_sentence(status->lost, folder), kExitBadFilter);
  if (status->counters_wrong)
    return complain(folder,
                    message("its counters are wrong; bloomery eth verify --db ", folder,
                            " --repair corrects them"),
                    kExitBadFilter);
  return kExitSuccess;
}

struct VerifyArguments {
  std::string folder;
  bool repair = false;
};

// A folder to read, or one to write where it is to be repaired.
Result<VerifyReport> verified(const VerifyArguments& arguments, const OnVerify& note,
                              const std::stop_token& stop) {
  if (!arguments.repair) {
    const auto chain = ChainFolder::open(arguments.folder);
    if (!chain) return chain.error();
    return verify_chain(chain->reader(), nullptr, note, stop);
  }
  auto store = ChainStore::open_to_repair(arguments.folder);
  if (!store) return store.error();
  return verify_chain(store->reader(), &*store, note, stop);
}

void print_report(const VerifyReport& report, const Session& session) {
  if (session.globals.json) {
    const Json json{{"blocks", report.blocks},     {"unverifiable", report.unverifiable},
                    {"sections", report.sections}, {"problems", report.problems},
                    {"repaired", report.repaired}, {"told", report.messages}};
    std::cout << json.dump() << '\n';
    return;
  }
  for (const std::string& problem : report.messages) std::cout << problem << '\n';
  if (report.messages.size() < report.problems)
    std::cout << "and " << format_count(report.problems - report.messages.size()) << " more\n";
  std::cout << format_count(report.blocks) << " blocks and " << format_count(report.sections)
            << " sections: " << format_count(report.problems) << " problems";
  if (report.repaired > 0)
    std::cout << ", " << format_count(report.repaired) << " sections rebuilt";
  if (report.unverifiable > 0)
    std::cout << "; " << format_count(report.unverifiable) << " blocks have no header to check";
  std::cout << '\n';
}

int verify(const VerifyArguments& arguments, const Session& session) {
  const InterruptGuard guard;
  std::stop_source stop;
  Progress bar{session.globals, std::nullopt, "blocks"};
  const auto report = verified(
      arguments,
      [&](const VerifyReport& now) {
        bar.update(now.blocks, 0);
        if (InterruptGuard::interrupted()) stop.request_stop();
      },
      stop.get_token());
  bar.finish();
  if (!report) return complain(arguments.folder, report.error(), Blame::kArguments);
  print_report(*report, session);
  return report->problems > report->repaired ? kExitBadFilter : kExitSuccess;
}

}  // namespace

void attach_eth_status(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth status --db chain\n"
      "  bloomery eth status --db ~/.ethereum --json\n");
  auto folder = std::make_shared<std::string>();
  add_db_option(subcommand, *folder);
  subcommand.action([folder, &session] { session.exit_code = print_status(*folder, session); });
}

void attach_eth_verify(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth verify --db chain             exit 3 if something is wrong\n"
      "  bloomery eth verify --db chain --repair    rebuild files and sections\n");
  auto arguments = std::make_shared<VerifyArguments>();
  add_db_option(subcommand, arguments->folder);
  subcommand.add_flag("--repair", arguments->repair,
                      "Rebuild damaged files and wrong sections; unreadable blocks are listed and "
                      "must be imported again");
  subcommand.action([arguments, &session] { session.exit_code = verify(*arguments, session); });
}

}  // namespace bloomery::cli
