#include "apps/cli/eth/logs.h"

#include <chrono>
#include <thread>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/logs_explain.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/output/folder_feed.h"
#include "apps/ethlog/output/node_feed.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

Result<LogSearch> search_over(const ChainReader& reader, const LogsOptions& options) {
  if (options.no_index) return LogSearch{reader, {}};
  auto sources = sources_of(reader);
  if (!sources) return sources.error();
  return LogSearch{reader, std::move(*sources)};
}

// geth's texts for a range name neither the range nor the chain's end.
int complain_of_search(const LogsOptions& options, const ChainReader& reader, Error error) {
  const auto head = reader.head();
  if (error.message.find("block range") != std::string::npos && head && *head)
    error.message += message("; the chain ends at block ", **head);
  return complain(options.folder, error, Blame::kArguments);
}

// Turns a signal into a request to stop: what is half done is removed or finished first.
class StopOnSignal {
 public:
  std::stop_token token() const { return stop_.get_token(); }

 private:
  InterruptGuard guard_;
  std::stop_source stop_;
  std::jthread watch_{[this](const std::stop_token& ended) {
    while (!ended.stop_requested() && !InterruptGuard::interrupted())
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    stop_.request_stop();
  }};
};

Result<std::unique_ptr<LogsOutput>> output_for(const LogsOptions& options) {
  if (options.output.empty()) return output_to_stdout();
  return output_to_new_file(options.output, options.force);
}

// One search: found logs go out as they are found.
int print_logs(const LogsOptions& options, const LogsRequest& request) {
  const auto chain = ChainFolder::open(options.folder);
  if (!chain) return complain(options.folder, chain.error(), Blame::kArguments);
  const auto search = search_over(chain->reader(), options);
  if (!search) return complain(options.folder, search.error(), Blame::kFilterFile);
  std::optional<StopOnSignal> signals;  // outlives the file that a signal leaves half written
  if (!options.output.empty()) signals.emplace();
  auto output = output_for(options);
  if (!output) return complain(options.output, output.error(), Blame::kArguments);
  const auto sink = [&output](std::string_view text) { return (*output)->write(text); };
  auto writer =
      make_log_writer(request.format, request.event_set(),
                      {.keeps_undecoded = request.on_undecoded == OnUndecoded::kKeep}, sink);
  if (!writer) return complain(writer.error().message, kExitUsage);
  const bool is_plain = request.format == LogFormat::kJsonLines && !request.events;
  LogPrinter printer{request.event_set(), request.on_undecoded, std::move(*writer)};

  Status written = printer.writer().begin();
  std::uint64_t printed = 0;
  std::string line;
  // Logs that are passed over do not count for the limit.
  const QueryOptions how{
      .limit = request.events ? std::nullopt : options.limit,
      .newest_first = options.newest_first,
      .missing = options.skip_missing ? MissingBlocks::kSkipped : MissingBlocks::kError,
      .beyond_head = BeyondHead::kCut,
      .stop = signals ? signals->token() : std::stop_token{}};
  const auto deliver = [&](const FoundLog& found) {
    if (is_plain) {
      line.clear();
      append_log_json(line, found);
      line += '\n';
      written = sink(line);
      ++printed;
      return written.has_value();
    }
    written = printer.print(record_of(found));
    printed = printer.counts().logs;
    return written.has_value() && printed < options.limit.value_or(UINT64_MAX);
  };
  const bool none_wanted = request.events && options.limit == 0;
  const auto report = written && !none_wanted ? search->run(request.query, how, deliver)
                                              : Result<QueryReport>{QueryReport{}};
  if (!written) return complain("", written.error(), Blame::kFilterFile);
  if (!report) return complain_of_search(options, chain->reader(), report.error());
  if (report->end == QueryEnd::kStopped) return kExitUsage;
  if (Status s = printer.writer().finish(); !s) return complain("", s.error(), Blame::kFilterFile);
  if (Status s = (*output)->finish(); !s) return complain("", s.error(), Blame::kFilterFile);
  warn_of_undecoded(options, printer.counts());
  if (options.explain) explain_search(*report);
  return printed > 0 ? kExitSuccess : kExitNothingSelected;
}

int search_node(const LogsOptions& options, LogsRequest request) {
  auto how = node_options(options.node_arguments, options.node);
  if (!how) return complain("--from-rpc", how.error(), Blame::kArguments);
  const auto client = NodeClient::make(std::move(*how));
  if (!client) return complain("--from-rpc", client.error(), Blame::kArguments);
  const StopOnSignal signals;
  NodeFeedOptions feed{.stop = signals.token()};
  if (options.follow)
    feed.on_wait = [](const Error& error) {
      if (!InterruptGuard::interrupted()) warn("", message(error.message, "; trying again"));
    };
  return follow_logs(options, std::move(request), *make_node_feed(**client, std::move(feed)));
}

int run_logs(const LogsOptions& options) {
  auto request = request_from(options);
  if (!request) return complain("", request.error(), Blame::kArguments);
  if (!options.node.empty()) return search_node(options, std::move(*request));
  if (!options.goes_on()) return print_logs(options, *request);
  FolderFeedOptions how{
      .uses_index = !options.no_index,
      .missing = options.skip_missing ? MissingBlocks::kSkipped : MissingBlocks::kError};
  if (options.follow)
    how.on_wait = [](const Error& error) {
      warn("", message(error.message, "; waiting for it to end (--from-rpc follows a server)"));
    };
  return follow_logs(options, std::move(*request), *make_folder_feed(options.folder, how));
}

}  // namespace

void attach_eth_logs(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth logs --db chain --address 0xdac1…1ec7      every log of a contract\n"
      "  bloomery eth logs --db chain --from 0 --to 9999 --topic 0xddf2…b3ef\n"
      "  bloomery eth logs --db chain --topic '*' --topic 0xaa…,0xbb…   either of two\n"
      "  bloomery eth logs --db ~/.ethereum --newest-first --limit 10   a node's folder\n"
      "  bloomery eth logs --db chain --abi erc20.json --event Transfer --arg to=0xaa… \\\n"
      "    --format csv -o transfers.csv                         decoded\n"
      "  bloomery eth logs --db chain --abi erc20.json --follow --checkpoint state -o all.jsonl\n");
  auto options = std::make_shared<LogsOptions>();
  add_logs_options(subcommand, options);
  subcommand.action([options, &session] {
    if (options->output == "-") options->output.clear();  // stdout
    session.exit_code = run_logs(*options);
  });
}

}  // namespace bloomery::cli
