#include "apps/cli/eth/import_node.h"

#include <chrono>
#include <iostream>

#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "apps/ethlog/import/import_node.h"
#include "apps/ethlog/store/chain_census.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

// What was imported, and how.
struct NodeOutcome {
  ImportProgress progress;
  SyncReport report;
  NodeCounts counts;
  std::optional<std::uint64_t> beyond;  // the last block that was wanted, which the node lacks
  ReceiptSource receipts = ReceiptSource::kBlock;
  bool whole_transactions = true;
  double seconds = 0;
};

const char* name_of(ReceiptSource source) {
  switch (source) {
    case ReceiptSource::kBlock:
      return "eth_getBlockReceipts";
    case ReceiptSource::kTransaction:
      return "eth_getTransactionReceipt";
    case ReceiptSource::kLogs:
      break;
  }
  return "eth_getLogs";
}

void print_verified(const NodeOutcome& outcome) {
  if (outcome.progress.stored == 0) return;
  std::cerr << "bloomery: " << verified_text(outcome.progress);
  if (outcome.receipts == ReceiptSource::kLogs)
    std::cerr << " (the node gives no receipts, only logs)";
  std::cerr << '\n';
}

void print_node_summary(const NodeOutcome& outcome, const ChainStore& store) {
  if (outcome.progress.blocks > 0) print_import_summary(outcome.progress, store);
  print_verified(outcome);
  const auto head = store.reader().head();
  if (outcome.beyond)
    std::cerr << "bloomery: the newest block of the node is " << outcome.report.newest
              << ", so block " << *outcome.beyond << " is not there yet\n";
  else if (outcome.report.behind && head && *head)
    std::cerr << "bloomery: the node is at block " << *outcome.report.behind
              << ", behind the folder, whose head is block " << **head << '\n';
  else if (outcome.progress.blocks == 0 && !InterruptGuard::interrupted())
    std::cerr << "bloomery: nothing is missing"
              << (head && *head ? message(": the head is block ", **head) : std::string{}) << '\n';
}

void print_node_json(const NodeOutcome& outcome, const ChainStore& store) {
  const ImportProgress& progress = outcome.progress;
  const auto head = store.reader().head();
  const auto chain_id = store.chain_id();
  Json json{{"blocks", progress.blocks},
            {"stored", progress.stored},
            {"displaced", progress.displaced},
            {"logs", progress.logs},
            {"sections_made", progress.sections},
            {"reorganisations", outcome.report.reorganisations},
            {"verified", verified_json(progress)},
            {"receipts_from", name_of(outcome.receipts)},
            {"whole_transactions", outcome.whole_transactions},
            {"chain_id", chain_id ? *chain_id : 0},
            {"head", nullptr},
            {"in_folder", store.counts().blocks},
            {"missing", store.counts().gaps},
            {"requests", outcome.counts.requests},
            {"retries", outcome.counts.failures},
            {"answer_bytes", outcome.counts.bytes},
            {"seconds", outcome.seconds}};
  if (head && *head) json["head"] = **head;
  std::cout << json.dump() << '\n';
}

}  // namespace

int import_node(const NodeImportArguments& arguments, const std::string& folder,
                std::optional<std::uint64_t> chain_id, const Session& session) {
  const InterruptGuard guard;
  const auto begun = std::chrono::steady_clock::now();
  if (arguments.from && arguments.to && *arguments.from > *arguments.to)
    return complain(message("--from ", *arguments.from, " is above --to ", *arguments.to),
                    kExitUsage);
  const auto options = node_options(arguments.node, arguments.address);
  if (!options) return complain(options.error().message, kExitUsage);
  const auto client = NodeClient::make(*options);
  if (!client) return complain(client.error().message, kExitUsage);
  auto store = ChainStore::open(folder, Creation::kAllowed);
  if (!store) return complain(folder, store.error(), Blame::kArguments);
  if (!store->lost().empty()) warn("", lost_sentence(store->lost(), folder));
  BlockFetcher fetcher{**client};
  NodeOutcome outcome;
  std::optional<Progress> bar;
  std::stop_source stop;
  // A node may be slow: signals are looked at while nothing comes.
  std::jthread watch{[&](const std::stop_token& over) {
    while (!over.stop_requested() && !InterruptGuard::interrupted())
      wait_unless_stopped(std::chrono::milliseconds{50}, over);
    stop.request_stop();
  }};
  const NodeImport import{.range = {.from = arguments.from, .to = arguments.to},
                          .chain_id = chain_id,
                          .index_confirms = arguments.index_confirms,
                          .on_progress =
                              [&](const ImportProgress& now) {
                                if (bar) bar->update(now.blocks, now.blocks);
                              },
                          .on_plan =
                              [&](std::uint64_t missing) {
                                if (!bar) bar.emplace(session.globals, missing, "blocks");
                              }};
  auto report = import_from_node(*store, fetcher, import, outcome.progress, stop.get_token());
  watch.request_stop();
  watch.join();
  if (bar) bar->finish();
  if (report) outcome.report = *report;
  const auto wanted = arguments.to ? arguments.to : arguments.from;
  if (report && !InterruptGuard::interrupted() && wanted && *wanted > report->newest)
    outcome.beyond = wanted;
  outcome.counts = (*client)->counts();
  outcome.receipts = fetcher.receipts();
  outcome.whole_transactions = fetcher.whole_transactions();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (session.globals.json)
    print_node_json(outcome, *store);
  else if (!session.globals.quiet && (report || outcome.progress.blocks > 0))
    print_node_summary(outcome, *store);
  if (report && !store->lost().empty())
    return complain(lost_sentence(store->lost(), folder), kExitBadFilter);
  if (report) return kExitSuccess;
  const Error& error = report.error();
  const int code = complain(error.message, exit_code_of(error.code, Blame::kArguments));
  if (!session.globals.quiet && outcome.progress.acknowledged)
    std::cerr << "bloomery: " << folder << ": imported up to block "
              << *outcome.progress.acknowledged
              << "; these blocks stay, and the same command goes on after them\n";
  return code;
}

void add_node_import_options(CommandLine& app, NodeImportArguments& arguments) {
  app.add_option(
         "--from-rpc", arguments.address,
         "Node to import from, instead of SOURCE: an address of JSON-RPC with http, https, "
         "ws or wss. What is stored is skipped, gaps are filled, and a branch that the node "
         "left is displaced")
      ->value_name("URL")
      ->not_empty();
  app.add_count("--from", arguments.from,
                "First block from the node (default: the lowest stored, or 0)")
      ->value_name("BLOCK");
  app.add_count("--to", arguments.to, "Last block from the node (default: its newest)")
      ->value_name("BLOCK");
  add_node_options(
      app, arguments.node, [&arguments] { return !arguments.address.empty(); }, "--from-rpc");
  app.check([&arguments]() -> Status {
    if (!arguments.address.empty() || (!arguments.from && !arguments.to)) return ok();
    return usage_error(message(arguments.from ? "--from" : "--to",
                               ": only blocks of a node are chosen by number; give --from-rpc"));
  });
}

}  // namespace bloomery::cli
