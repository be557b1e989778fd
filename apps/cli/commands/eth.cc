// The group `eth`: a row for each of its commands, and `eth logs`.
#include <charconv>
#include <iostream>
#include <memory>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/logs_explain.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/standard_output.h"
#include "apps/ethlog/json/criteria.h"
#include "apps/ethlog/json/log_json.h"
#include "apps/ethlog/search/log_search.h"
#include "apps/ethlog/search/sources.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

constexpr Command kEthCommands[] = {
    {"import", "Import blocks into a chain folder, and check them", attach_eth_import},
    {"index", "Build the index for searches", attach_eth_index},
    {"logs", "Print the logs of a range of blocks, as eth_getLogs does", attach_eth_logs},
    {"serve", "Answer eth_getLogs over HTTP and WebSocket", attach_eth_serve},
    {"verify", "Check blocks and index by recomputing them", attach_eth_verify},
    {"status", "Show the contents of a chain folder", attach_eth_status},
};

struct LogsOptions {
  std::string folder;
  std::string from = "earliest";
  std::string to = "latest";
  std::string block_hash;
  std::vector<std::string> addresses;
  std::vector<std::string> topics;
  std::optional<std::uint64_t> limit;
  bool newest_first = false;
  bool skip_missing = false;
  bool no_index = false;
  bool explain = false;
};

Error refused(std::string sentence) { return {ErrorCode::kInvalidArgument, std::move(sentence)}; }

// Decimal as people write it, besides what eth_getLogs takes.
Result<BlockBound> bound_from(std::string_view option, const std::string& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size())
    return BlockBound{BlockTag::kNumber, number};
  const auto bound = parse_block_bound(text);
  if (bound) return *bound;
  return refused(message(
      option,
      ": a block is a number, 0x and hexadecimal digits, earliest, finalized or latest, not '",
      text, "'"));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (;;) {
    const std::size_t comma = text.find(',', at);
    parts.push_back(text.substr(at, comma - at));
    if (comma == std::string::npos) return parts;
    at = comma + 1;
  }
}

template <class T>
Result<std::vector<T>> values_from(std::string_view option, const std::string& text) {
  std::vector<T> values;
  for (const std::string& part : split(text)) {
    const auto value = T::from_hex(part);
    if (!value)
      return refused(message(option, ": 0x and ", 2 * T::kSize,
                             " hexadecimal digits are expected, not '", part, "'"));
    values.push_back(*value);
  }
  return values;
}

Status read_block_hash(const LogsOptions& options, LogQuery& query) {
  const auto hash = Hash::from_hex(options.block_hash);
  if (!hash)
    return refused(message("--block-hash: 0x and 64 hexadecimal digits are expected, not '",
                           options.block_hash, "'"));
  query.block_hash = *hash;
  return ok();
}

Result<LogQuery> query_from(const LogsOptions& options) {
  LogQuery query;
  if (!options.block_hash.empty()) {
    if (Status s = read_block_hash(options, query); !s) return s.error();
  } else {
    const auto from = bound_from("--from", options.from);
    if (!from) return from.error();
    const auto to = bound_from("--to", options.to);
    if (!to) return to.error();
    query.from = *from;
    query.to = *to;
  }
  for (const std::string& text : options.addresses) {
    const auto addresses = values_from<Address>("--address", text);
    if (!addresses) return addresses.error();
    query.addresses.insert(query.addresses.end(), addresses->begin(), addresses->end());
  }
  for (const std::string& text : options.topics) {
    auto choices = text == "*" ? Result<std::vector<Topic>>{std::vector<Topic>{}}
                               : values_from<Topic>("--topic", text);
    if (!choices) return choices.error();
    query.topics.push_back(std::move(*choices));
  }
  if (query.topics.size() > TopicList::kMost) return refused("--topic: a log has at most 4 topics");
  return query;
}

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

int print_logs(const LogsOptions& options) {
  const auto query = query_from(options);
  if (!query) return complain(query.error().message, kExitUsage);
  const auto chain = ChainFolder::open(options.folder);
  if (!chain) return complain(options.folder, chain.error(), Blame::kArguments);
  const auto search = search_over(chain->reader(), options);
  if (!search) return complain(options.folder, search.error(), Blame::kFilterFile);
  const QueryOptions how{
      .limit = options.limit,
      .newest_first = options.newest_first,
      .missing = options.skip_missing ? MissingBlocks::kSkipped : MissingBlocks::kError,
      .beyond_head = BeyondHead::kCut};
  std::string line;
  const auto report = search->run(*query, how, [&](const FoundLog& found) {
    line.clear();
    append_log_json(line, found);
    line += '\n';
    std::cout << line;
    return std::cout.good();
  });
  if (!std::cout) return complain(output_failure(), kExitUsage);
  if (!report) return complain_of_search(options, chain->reader(), report.error());
  if (options.explain) {
    std::cout.flush();
    explain_search(*report);
  }
  return report->logs > 0 ? kExitSuccess : kExitNothingSelected;
}

}  // namespace

void add_db_option(CommandLine& app, std::string& folder) {
  app.add_option("--db", folder, "Folder of the chain")->required()->value_name("DIR");
}

void attach_eth_logs(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth logs --db chain --address 0xdac1…1ec7      every log of a contract\n"
      "  bloomery eth logs --db chain --from 0 --to 9999 --topic 0xddf2…b3ef\n"
      "  bloomery eth logs --db chain --topic '*' --topic 0xaa…,0xbb…   either of two\n"
      "  bloomery eth logs --db ~/.ethereum --newest-first --limit 10   a node's folder\n");
  auto options = std::make_shared<LogsOptions>();
  subcommand.add_option("--db", options->folder, "Folder of the chain, or of a stopped geth node")
      ->required()
      ->value_name("DIR");
  auto* from = subcommand.add_option("--from", options->from,
                                     "First block: a number, 0x…, earliest, finalized or latest");
  from->value_name("BLOCK")->shows_default(options->from);
  auto* to = subcommand.add_option("--to", options->to, "Last block, inclusive");
  to->value_name("BLOCK")->shows_default(options->to);
  subcommand
      .add_option("--block-hash", options->block_hash, "Search only the block with this hash")
      ->value_name("HASH")
      ->excludes(from)
      ->excludes(to);
  subcommand
      .add_list("--address", options->addresses,
                "Print only logs of these contracts; comma-separated, may be repeated")
      ->value_name("ADDRESS");
  subcommand
      .add_list(
          "--topic", options->topics,
          "One --topic for each position: any of the comma-separated values, or '*' for any topic")
      ->value_name("TOPIC");
  subcommand.add_count("--limit", options->limit, "Stop after N logs");
  subcommand.add_flag("--newest-first", options->newest_first,
                      "Search from the last block to the first");
  subcommand.add_flag("--skip-missing", options->skip_missing,
                      "Skip blocks that are not in the folder; without it they are an error");
  subcommand.add_flag("--no-index", options->no_index, "Use only the blooms of the headers");
  subcommand.add_flag("--explain", options->explain, "Print on stderr what the search did");
  subcommand.action([options, &session] { session.exit_code = print_logs(*options); });
}

void attach_eth(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth import --db chain mainnet-*.era1     import and check blocks\n"
      "  bloomery eth index --db chain                     makes searches faster\n"
      "  bloomery eth logs --db chain --address 0xdac1…1ec7 > logs.jsonl\n"
      "  bloomery eth status --db chain\n");
  for (const Command& command : kEthCommands) attach_command(subcommand, command, session);
}

}  // namespace bloomery::cli
