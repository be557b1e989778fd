#include "apps/cli/eth/logs_options.h"

#include <algorithm>
#include <charconv>

#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/ethlog/json/criteria.h"
#include "bloomery/base/file.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

constexpr std::size_t kMostAbiBytes = std::size_t{64} << 20;

// Decimal as people write it, besides what eth_getLogs takes.
Result<BlockBound> bound_from(std::string_view option, const std::string& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size())
    return BlockBound{BlockTag::kNumber, number};
  const auto bound = parse_block_bound(text);
  if (bound) return *bound;
  return usage_error(message(
      option,
      ": a block is a number, 0x and hexadecimal digits, earliest, finalized or latest, not '",
      text, "'"));
}

std::vector<std::string> parts_of_list(const std::string& text) {
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
  for (const std::string& part : parts_of_list(text)) {
    const auto value = T::from_hex(part);
    if (!value)
      return usage_error(message(option, ": 0x and ", 2 * T::kSize,
                                 " hexadecimal digits are expected, not '", part, "'"));
    values.push_back(*value);
  }
  return values;
}

Status read_block_hash(const LogsOptions& options, LogQuery& query) {
  const auto hash = Hash::from_hex(options.block_hash);
  if (!hash)
    return usage_error(message("--block-hash: 0x and 64 hexadecimal digits are expected, not '",
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
    if (from->tag == BlockTag::kNumber && to->tag == BlockTag::kNumber && from->number > to->number)
      return usage_error(message("--from is after --to: ", from->number, " is more than ",
                                 to->number, "; --from is the first block, --to the last"));
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
  if (query.topics.size() > TopicList::kMost)
    return usage_error("--topic: a log has at most 4 topics");
  return query;
}

Result<std::vector<AbiEvent>> events_in_files(const std::vector<std::string>& files) {
  std::vector<AbiEvent> all;
  for (const std::string& file : files) {
    const auto bytes = read_file(file, DecodeLimits{kMostAbiBytes});
    if (!bytes) return bytes.error();
    auto events = parse_abi_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    if (!events) return Error{events.error().code, message(file, ": ", events.error().message)};
    if (events->empty())
      return Error{ErrorCode::kMalformed, message(file, ": the ABI has no events")};
    std::move(events->begin(), events->end(), std::back_inserter(all));
  }
  return all;
}

std::string names_in(const std::vector<AbiEvent>& events) {
  std::string names;
  for (std::size_t i = 0; i < events.size() && i < 10; ++i)
    names += (i == 0 ? "" : ", ") + events[i].name;
  return events.size() > 10 ? names + " …" : names;
}

// --event NAME means all of that name in the files. So does a signature that says nothing about
// which arguments are indexed, where a file knows it: NAME(address,uint256).
Status choose_event(const std::string& text, const std::vector<AbiEvent>& in_files,
                    std::vector<AbiEvent>& chosen) {
  const bool is_name = text.find('(') == std::string::npos;
  Result<AbiEvent> parsed = AbiEvent{};
  if (!is_name) {
    parsed = parse_event(text);
    if (!parsed) return usage_error(message("--event ", parsed.error().message));
  }
  const std::size_t before = chosen.size();
  if (is_name || parsed->indexed == 0)
    std::copy_if(in_files.begin(), in_files.end(), std::back_inserter(chosen),
                 [&](const AbiEvent& event) {
                   return is_name ? event.name == text : event.signature == parsed->signature;
                 });
  if (chosen.size() > before) return ok();
  if (!is_name) {
    chosen.push_back(std::move(*parsed));
    return ok();
  }
  return usage_error(
      in_files.empty()
          ? message("--event '", text,
                    "': the arguments are missing; give them in parentheses, such as '", text,
                    "(address indexed from, uint256 value)', or a file with --abi")
          : message("--event '", text, "': no file of --abi has an event of this name; they have ",
                    names_in(in_files)));
}

Result<std::vector<AbiEvent>> chosen_events(const LogsOptions& options) {
  auto in_files = events_in_files(options.abi_files);
  if (!in_files) return in_files.error();
  if (options.events.empty()) return in_files;
  std::vector<AbiEvent> chosen;
  for (const std::string& text : options.events)
    if (Status s = choose_event(text, *in_files, chosen); !s) return s.error();
  return chosen;
}

Result<std::vector<ArgumentFilter>> filters_from(const std::vector<std::string>& arguments) {
  std::vector<ArgumentFilter> filters;
  for (const std::string& text : arguments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage_error(message("--arg: NAME=VALUE is expected, not '", text, "'"));
    const std::string name = text.substr(0, equals);
    const auto same =
        std::find_if(filters.begin(), filters.end(),
                     [&](const ArgumentFilter& filter) { return filter.name == name; });
    ArgumentFilter& filter =
        same != filters.end() ? *same : filters.emplace_back(ArgumentFilter{name, {}});
    filter.values.push_back(text.substr(equals + 1));
  }
  return filters;
}

// Lists in their order would make two searches of one.
void append_sorted(std::string& out, std::string_view name, std::vector<std::string> values) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  out += message(' ', name);
  for (const std::string& value : values) out += ' ' + value;
}

// The query is that of the options, not yet narrowed to the events.
std::string search_in_words(const LogsOptions& options, const LogQuery& query,
                            const EventSet* events) {
  std::string out = "--from " + options.from + " --to " + options.to;
  std::vector<std::string> addresses;
  for (const Address& address : query.addresses) addresses.push_back(address.hex());
  append_sorted(out, "--address", std::move(addresses));
  for (const auto& choices : query.topics) {
    std::vector<std::string> topics;
    for (const Topic& topic : choices) topics.push_back(topic.hex());
    if (topics.empty()) topics.emplace_back("*");
    append_sorted(out, "--topic", std::move(topics));
  }
  if (events != nullptr)
    for (const AbiEvent& event : events->events())
      out += " --event '" + declaration_of(event) + '\'';
  append_sorted(out, "--arg", options.arguments);
  out += " --format " + std::string{options.output_format()} + " --on-error " +
         options.on_error.value_or("keep");
  constexpr std::size_t kMost = 4000;  // a list may have a hundred thousand addresses
  if (out.size() <= kMost) return out;
  const std::string hash = keccak_hash(std::as_bytes(std::span{out})).hex();
  return out.substr(0, kMost) + "… (" + hash + ')';
}

Status check_combinations(const LogsOptions& options) {
  const bool decodes = !options.events.empty() || !options.abi_files.empty();
  if (options.folder.empty() == options.node.empty())
    return usage_error(
        options.folder.empty()
            ? "give the folder of a chain (--db) or the address of a node (--from-rpc)"
            : "--db and --from-rpc cannot be combined; give one of them");
  for (const auto& [name, given] : {std::pair{"--arg", !options.arguments.empty()},
                                    {"--on-error", options.on_error.has_value()}})
    if (!decodes && given)
      return usage_error(message(name, " needs an event: give it with --event or --abi"));
  if (!options.node.empty() && (options.skip_missing || options.no_index))
    return usage_error("--skip-missing and --no-index are about a folder; leave them out");
  if (options.window && !options.goes_on())
    return usage_error("--window needs --follow or --checkpoint");
  if (options.output_format() == "parquet" && options.output.empty())
    return usage_error("--format parquet needs a file: give it with --output");
  if (options.output_format() == "parquet" && options.goes_on())
    return usage_error(
        "--format parquet cannot be combined with --follow or --checkpoint, because a Parquet file "
        "cannot be appended to; use jsonl or csv");
  if (options.follow && options.to != "latest")
    return usage_error("--follow does not end, so that it cannot be combined with --to");
  const bool one_search =
      options.limit || options.newest_first || !options.block_hash.empty() || options.explain;
  if ((options.goes_on() || !options.node.empty()) && one_search)
    return usage_error(
        "--limit, --newest-first, --block-hash and --explain cannot be combined with --follow, "
        "--checkpoint or --from-rpc, which search step by step");
  return ok();
}

}  // namespace

std::string_view LogsOptions::output_format() const {
  if (format) return *format;
  if (output.ends_with(".csv")) return "csv";
  return output.ends_with(".parquet") ? "parquet" : "jsonl";
}

Result<LogsRequest> request_from(const LogsOptions& options) {
  if (Status s = check_combinations(options); !s) return s.error();
  LogsRequest request;
  auto query = query_from(options);
  if (!query) return query.error();
  request.query = std::move(*query);
  if (options.output_format() == "csv") request.format = LogFormat::kCsv;
  if (options.output_format() == "parquet") request.format = LogFormat::kParquet;
  if (options.on_error.value_or("") == "stop") request.on_undecoded = OnUndecoded::kStop;
  if (options.on_error.value_or("") == "skip") request.on_undecoded = OnUndecoded::kSkip;
  if (!options.events.empty() || !options.abi_files.empty()) {
    auto events = chosen_events(options);
    if (!events) return events.error();
    const auto filters = filters_from(options.arguments);
    if (!filters) return filters.error();
    auto set = EventSet::make(std::move(*events), *filters);
    if (!set)
      return usage_error(message(filters->empty() ? "--event: " : "--arg: ", set.error().message));
    request.events.emplace(std::move(*set));
  }
  request.search = search_in_words(options, request.query, request.event_set());
  if (request.events)
    if (Status s = request.events->narrow(request.query); !s)
      return usage_error(message("--event: ", s.error().message));
  return request;
}

void warn_of_undecoded(const LogsOptions& options, const PrintCounts& counts) {
  if (counts.undecoded == 0) return;
  warn("", message(format_count(counts.undecoded),
                   counts.undecoded == 1 ? " log could not be decoded and was "
                                         : " logs could not be decoded and were ",
                   options.on_error.value_or("") == "skip" ? "left out" : "written as they are",
                   "; the first: ", counts.first_undecoded));
}

void add_logs_options(CommandLine& app, const std::shared_ptr<LogsOptions>& options) {
  app.add_option("--db", options->folder, "Folder of the chain, or of a stopped geth node")
      ->value_name("DIR");
  app.add_option("--from-rpc", options->node,
                 "Search the chain of a node or of eth serve, by eth_getLogs: http://, https://, "
                 "ws:// or wss://HOST:PORT")
      ->value_name("URL")
      ->not_empty();
  app.add_option("--from", options->from,
                 "First block: a number, 0x…, earliest, finalized or latest")
      ->value_name("BLOCK")
      ->shows_default(options->from);
  app.add_option("--to", options->to, "Last block, inclusive")
      ->value_name("BLOCK")
      ->shows_default(options->to);
  app.add_option("--block-hash", options->block_hash, "Search only the block with this hash")
      ->value_name("HASH")
      ->excludes(app.find_option("--from"))
      ->excludes(app.find_option("--to"));
  app.add_list("--address", options->addresses,
               "Print only logs of these contracts; comma-separated, may be repeated")
      ->value_name("ADDRESS");
  app.add_list(
         "--topic", options->topics,
         "One --topic for each position: any of the comma-separated values, or '*' for any topic")
      ->value_name("TOPIC");
  app.add_count("--limit", options->limit, "Stop after N logs");
  app.add_flag("--newest-first", options->newest_first, "Search from the last block to the first");
  app.add_flag("--skip-missing", options->skip_missing,
               "Skip blocks that are not in the folder; without it they are an error");
  app.add_flag("--no-index", options->no_index, "Use only the blooms of the headers");
  app.add_flag("--explain", options->explain, "Print on stderr what the search did");

  app.add_list("--event", options->events,
               "Search for this event and decode its arguments: 'Transfer(address indexed from, "
               "address indexed to, uint256 value)', or the name of one in --abi; may be repeated")
      ->value_name("EVENT")
      ->group("Decoding");
  app.add_list(
         "--abi", options->abi_files,
         "Decode by a JSON ABI or the artifact of a compiler; without --event, all its events")
      ->value_name("FILE")
      ->group("Decoding");
  app.add_list(
         "--arg", options->arguments,
         "Print only logs whose indexed argument has this value; the same name again: or that "
         "one; another name: and that one")
      ->value_name("NAME=VALUE")
      ->group("Decoding");
  app.add_option("--on-error", options->on_error,
                 "What to do with a log that is not what its event says: end, leave it out, or "
                 "print it as it is, with the reason")
      ->choices({"stop", "skip", "keep"})
      ->shows_default("keep")
      ->group("Decoding");

  app.add_option("--format", options->format,
                 "Format of the output; jsonl: a JSON object per line (default: by the ending of "
                 "--output, .csv or .parquet, otherwise jsonl)")
      ->choices({"jsonl", "csv", "parquet"})
      ->group("Output");
  app.add_option(
         "-o,--output", options->output,
         "Write to a file, which is there once it is complete (-: stdout); with --follow or "
         "--checkpoint it is appended to")
      ->value_name("FILE")
      ->group("Output");
  app.add_flag("-F,--force", options->force, "Replace the output file if it exists")
      ->needs(app.find_option("--output"))
      ->group("Output");

  app.add_option(
         "--checkpoint", options->checkpoint,
         "Continue where the last run with this file ended, and remember there how far this "
         "one has come")
      ->value_name("FILE")
      ->group("Following");
  auto* follow =
      app.add_flag("--follow", options->follow,
                   "Go on with new blocks until Ctrl-C; logs that a reorganisation takes "
                   "back are printed again with removed set");
  follow->group("Following");
  app.add_option("--poll", options->poll_seconds, "Time between two looks at the chain")
      ->between(0.01, 3600)
      ->value_name("SECONDS")
      ->shows_default("1")
      ->needs(follow)
      ->group("Following");
  app.add_count("--window", options->window,
                "Blocks that a reorganisation may replace; their logs are remembered")
      ->shows_default(format_count(kDefaultWindow))
      ->group("Following");
  add_node_options(
      app, options->node_arguments, [options] { return !options->node.empty(); }, "--from-rpc");
}

}  // namespace bloomery::cli
