// eth serve: the log search behind an address, until a signal ends it.
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/node_options.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/ethlog/import/follow_lines.h"
#include "apps/ethlog/serve/server.h"
#include "apps/ethlog/store/chain_census.h"
#include "apps/ethlog/store/geth_config.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

struct ServeArguments {
  std::string folder;
  std::vector<std::string> chains;  // NAME=DIR
  std::string listen = "127.0.0.1:8545";
  std::vector<std::string> follow;
  NodeArguments node;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  bool gaps = false;
  std::optional<std::uint64_t> chain_id;
  std::uint64_t confirms = kDefaultConfirms;
  std::uint64_t range = 0;
  std::uint64_t results = 10'000;
  std::uint64_t addresses = 100'000;
  std::uint64_t response = std::uint64_t{32} << 20;
  std::uint64_t body = std::uint64_t{5} << 20;
  std::uint64_t connections = 256;
  std::uint64_t connections_per_client = 128;
  double seconds = 10;
  double calls_per_second = 0;
  std::uint64_t searches = 0;
};

// A chain as the command line names it.
struct ChainArguments {
  std::string name;  // empty: there is only one, of --db
  std::string folder;
  std::vector<std::string> follow;
};

// Before the first '=' the name, behind it what it is for.
std::pair<std::string, std::string> split_name(const std::string& text) {
  const std::size_t mark = text.find('=');
  if (mark == std::string::npos) return {{}, text};
  return {text.substr(0, mark), text.substr(mark + 1)};
}

Result<std::vector<ChainArguments>> several_chains(const ServeArguments& arguments) {
  if (!arguments.folder.empty())
    return usage_error("--db is for a single chain; name each of several with --chain NAME=DIR");
  if (arguments.chain_id)
    return usage_error("--chain-id is for a single chain; each folder of --chain has its own id");
  std::vector<ChainArguments> chains;
  for (const std::string& text : arguments.chains) {
    const auto parts = split_name(text);
    const std::string& name = parts.first;
    const std::string& folder = parts.second;
    if (folder.empty() || folder == text)
      return usage_error("--chain " + text + ": it should be NAME=DIR, as main=/srv/main");
    if (const Status fits = check_chain_name(name); !fits)
      return usage_error("--chain " + text + ": " + fits.error().message);
    if (std::ranges::any_of(chains, [&](const auto& one) { return one.name == name; }))
      return usage_error("--chain " + text + ": another chain has that name");
    chains.push_back({name, folder, {}});
  }
  for (const std::string& text : arguments.follow) {
    const auto parts = split_name(text);
    const std::string& name = parts.first;
    const auto at = std::ranges::find_if(chains, [&](const auto& one) { return one.name == name; });
    if (name.empty() || at == chains.end())
      return usage_error("--follow " + shown_source(text) +
                         ": name the chain that it is for, as --follow " + chains[0].name + "=" +
                         shown_source(text));
    at->follow.push_back(parts.second);
  }
  return chains;
}

Result<std::vector<ChainArguments>> chains_of(const ServeArguments& arguments) {
  if (!arguments.chains.empty()) return several_chains(arguments);
  if (arguments.folder.empty())
    return usage_error("--db is required; or name several chains with --chain NAME=DIR");
  return std::vector<ChainArguments>{{{}, arguments.folder, arguments.follow}};
}

// The chain, open for as long as it is served: to write where blocks are followed, else to read.
struct OpenChain {
  std::optional<ChainStore> store;
  std::optional<ChainFolder> folder;
  std::unique_ptr<LiveChain> live;
};

// What --follow names: nodes and paths.
struct Followed {
  std::vector<std::filesystem::path> paths;
  std::vector<NodeOptions> nodes;
};

Result<Followed> followed_by(const ServeArguments& arguments, const ChainArguments& chain) {
  Followed followed;
  for (const std::string& name : chain.follow) {
    if (!is_node_address(name)) {
      followed.paths.emplace_back(name);
      continue;
    }
    auto node = node_options(arguments.node, name);
    if (!node) return node.error();
    node->attempts = kFollowAttempts;
    followed.nodes.push_back(std::move(*node));
  }
  return followed;
}

Result<std::unique_ptr<OpenChain>> open_to_write(const ServeArguments& arguments,
                                                 const ChainArguments& chain,
                                                 const Followed& followed) {
  auto open = std::make_unique<OpenChain>();
  auto store = ChainStore::open(chain.folder, Creation::kAllowed);
  if (!store) return store.error();
  open->store.emplace(std::move(*store));
  if (open->store->counts().blocks == 0) {
    const auto id = arguments.chain_id ? Result<std::optional<std::uint64_t>>{arguments.chain_id}
                                       : chain_id_of_node(followed.nodes);
    if (!id) return id.error();
    if (*id)
      if (Status s = open->store->set_chain_id(**id); !s) return s.error();
  }
  const auto id = open->store->chain_id();
  if (!id) return id.error();
  if (arguments.chain_id && *arguments.chain_id != *id)
    return Error{ErrorCode::kInvalidArgument,
                 "the folder holds blocks of chain " + std::to_string(*id) + ", not of " +
                     std::to_string(*arguments.chain_id) + "; leave --chain-id out"};
  open->live = std::make_unique<LiveChain>(*open->store, *id);
  return open;
}

Result<std::unique_ptr<OpenChain>> open_to_read(const ServeArguments& arguments,
                                                const ChainArguments& chain) {
  auto open = std::make_unique<OpenChain>();
  auto folder = ChainFolder::open(chain.folder);
  if (!folder) return folder.error();
  open->folder.emplace(std::move(*folder));
  const auto stored = open->folder->own() != nullptr ? open->folder->own()->chain_id()
                                                     : geth_chain_id(open->folder->reader());
  if (!stored) return stored.error();
  const ChainReader& reader = open->folder->reader();
  const auto census = count_blocks(reader);
  if (!census) return census.error();
  std::vector<ethlog::BlockRange> lost = reader.lost();
  lost.insert(lost.end(), census->lost.begin(), census->lost.end());
  reader.set_lost(merged_ranges(std::move(lost)));
  open->live = std::make_unique<LiveChain>(reader, arguments.chain_id.value_or(*stored),
                                           StoreCounts{.blocks = census->blocks,
                                                       .unverified = census->unverified,
                                                       .gaps = census->missing,
                                                       .lowest = census->lowest});
  return open;
}

LogServerOptions options_from(const ServeArguments& arguments, const http::Address& listen) {
  LogServerOptions options;
  options.listen = listen;
  options.http.body_bytes = static_cast<std::size_t>(arguments.body);
  options.http.connections = static_cast<std::size_t>(arguments.connections);
  options.http.connections_per_client = static_cast<std::size_t>(arguments.connections_per_client);
  // An answer must fit beside pending notifications, and several answers beside each other.
  const std::size_t answer = static_cast<std::size_t>(arguments.response) + options.rpc.batch_bytes;
  options.http.unsent_bytes += answer;
  options.http.total_bytes += 4 * answer;
  options.workers = std::max<std::size_t>(8, 2 * std::thread::hardware_concurrency());
  options.hosts = arguments.hosts;
  options.origins = arguments.origins;
  options.version = "bloomery/v" BLOOMERY_VERSION;
  options.rpc.search = {
      .range = arguments.range,
      .results = arguments.results,
      .addresses = arguments.addresses,
      .response_bytes = arguments.response,
      .time = std::chrono::milliseconds{static_cast<std::int64_t>(arguments.seconds * 1000)}};
  options.rpc.clients = {.calls_per_second = arguments.calls_per_second,
                         .searches = static_cast<std::size_t>(arguments.searches)};
  options.warn = [](const std::string& sentence) { std::cerr << "bloomery: " + sentence + "\n"; };
  return options;
}

// Opens each of them. After an error, `failing` is the folder that it is about.
Result<std::vector<ChainToServe>> open_all(const ServeArguments& arguments,
                                           const std::vector<ChainArguments>& chains,
                                           std::vector<std::unique_ptr<OpenChain>>& open,
                                           std::string& failing) {
  std::vector<ChainToServe> served;
  for (const ChainArguments& chain : chains) {
    failing = chain.folder;
    const auto followed = followed_by(arguments, chain);
    if (!followed) return followed.error();
    auto opened = chain.follow.empty() ? open_to_read(arguments, chain)
                                       : open_to_write(arguments, chain, *followed);
    if (!opened) return opened.error();
    open.push_back(std::move(*opened));
    LiveChain& live = *open.back()->live;
    if (const auto lost = live.reader().lost(); !lost.empty())
      warn(chain.folder, message("the chain lost ", text_of_ranges(lost),
                                 "; queries about them are refused until they are imported again"));
    ChainToServe& one = served.emplace_back();
    one.name = chain.name;
    one.chain = &live;
    one.folder = chain.folder;
    if (!chain.follow.empty())
      one.follow = FollowOptions{.paths = followed->paths,
                                 .nodes = followed->nodes,
                                 .gaps = arguments.gaps ? Gaps::kAllowed : Gaps::kRefused,
                                 .confirms = arguments.confirms};
  }
  return served;
}

// What can be said before a folder is opened. After an error, `failing` is what it is about, or
// empty.
Status check_followed(const ServeArguments& arguments, const std::vector<ChainArguments>& chains,
                      std::string& failing) {
  for (const ChainArguments& chain : chains) {
    const auto followed = followed_by(arguments, chain);
    if (!followed) return followed.error();
    for (const std::filesystem::path& path : followed->paths) {
      std::error_code ignored;
      if (std::filesystem::is_directory(path, ignored)) continue;
      failing = path.string();
      if (const Status fits = check_followable(path); !fits) return fits;
      failing.clear();
    }
  }
  return ok();
}

int serve(const ServeArguments& arguments, const Session& session) {
  const auto listen = http::parse_address(arguments.listen);
  if (!listen) return complain(listen.error().message, kExitUsage);
  for (const auto& [name, value] :
       {std::pair{"--max-connections", arguments.connections},
        std::pair{"--max-body", arguments.body}, std::pair{"--max-response", arguments.response}})
    if (value == 0)
      return complain(message(name, " 0: the server could not answer any client; give at least 1"),
                      kExitUsage);
  const auto chains = chains_of(arguments);
  if (!chains) return complain(chains.error().message, kExitUsage);
  std::string failing;
  if (const Status fits = check_followed(arguments, *chains, failing); !fits)
    return complain(failing, fits.error(), Blame::kArguments);
  const InterruptGuard guard;
  // The allocator learns from large answers to keep them; a server is to give them back.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  std::vector<std::unique_ptr<OpenChain>> open;
  auto served = open_all(arguments, *chains, open, failing);
  if (!served) return complain(failing, served.error(), Blame::kArguments);
  const auto server = LogServer::start(std::move(*served), options_from(arguments, *listen));
  if (!server) return complain("--listen", server.error(), Blame::kArguments);
  if (!http::is_loopback(*listen) && !session.globals.quiet)
    std::cerr
        << "bloomery: warning: " << arguments.listen
        << " can be reached from other machines; every client that reaches it may send queries\n";
  std::cout << "listening on http://" << http::text_of((*server)->address()) << std::endl;
  while (!InterruptGuard::interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  InterruptGuard::settle();
  return kExitSuccess;
}

// "32 MiB". Precondition: whole mebibytes.
std::string whole_mebibytes(std::uint64_t bytes) {
  return message(format_count(bytes >> 20), " MiB");
}

void add_limits(CommandLine& app, ServeArguments& arguments) {
  const auto limit = [&](const char* name, std::uint64_t& value, const char* help,
                         std::string (*text)(std::uint64_t) = format_count_exactly) {
    app.add_count(name, value, help)->shows_default(text(value));
  };
  limit("--max-range", arguments.range, "Most blocks in the range of a query (0: no limit)");
  limit("--max-results", arguments.results, "Most logs in an answer (0: no limit)");
  limit("--max-addresses", arguments.addresses,
        "Most addresses in a query, or topics for one position (0: no limit)");
  limit("--max-response", arguments.response, "Most bytes in an answer, at least 1",
        whole_mebibytes);
  limit("--max-body", arguments.body, "Most bytes in a request, at least 1", whole_mebibytes);
  limit("--max-connections", arguments.connections, "Most connections at a time, at least 1");
  limit("--max-connections-per-client", arguments.connections_per_client,
        "Most connections of one address or IPv6 /64 network (0: no limit, behind a proxy)");
  limit("--max-searches-per-client", arguments.searches,
        "Most searches of one client at a time (0: no limit)");
  app.add_option("--max-calls-per-second", arguments.calls_per_second,
                 "Most calls of one client in a second, each of a batch counted (0: no limit)")
      ->between(0, 1'000'000)
      ->value_name("N")
      ->shows_default(message(arguments.calls_per_second));
  app.add_option("--max-time", arguments.seconds, "Time limit of a request (0: no limit)")
      ->between(0, 86'400)
      ->value_name("SECONDS")
      ->shows_default(message(arguments.seconds));
}

}  // namespace

void attach_eth_serve(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth serve --db chain                        http://127.0.0.1:8545\n"
      "  bloomery eth serve --db chain --follow blocks.jsonl  and lines as they come\n"
      "  bloomery eth serve --db chain --follow ws://127.0.0.1:8546   and blocks of a node\n"
      "  bloomery eth serve --db ~/.ethereum --listen 127.0.0.1:8546   a stopped node's\n"
      "  bloomery eth serve --chain main=DIR1 --chain base=DIR2   at /main and /base\n"
      "  bloomery eth serve --db chain --max-results 100000 --max-time 60\n");
  auto arguments = std::make_shared<ServeArguments>();
  subcommand
      .add_option("--db", arguments->folder, "Folder of the chain, or of a stopped geth node")
      ->value_name("DIR");
  subcommand
      .add_option("--listen", arguments->listen,
                  "Address and port to listen on; port 0: any free one")
      ->value_name("ADDR:PORT")
      ->shows_default(arguments->listen);
  subcommand.hint("--port", "give the address and port with --listen 127.0.0.1:PORT");
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* type,
                        const char* help) {
    subcommand.add_list(name, values, help)->value_name(type);
  };
  list(
      "--chain", arguments->chains, "NAME=DIR",
      "Instead of --db, for each of several chains: its folder, served at the path /NAME; --follow "
      "then names the chain too, as NAME=PATH");
  list(
      "--follow", arguments->follow, "PATH",
      "Import new blocks from a growing file of JSON lines, from a folder that files of blocks are "
      "moved into, or from a node: an address of JSON-RPC with http, https, ws or wss; may be "
      "repeated");
  subcommand.add_flag("--gaps", arguments->gaps, "Accept followed blocks whose parent is missing");
  subcommand
      .add_count("--confirms", arguments->confirms,
                 "Blocks that must follow a section before it is indexed")
      ->shows_default(format_count(arguments->confirms));
  subcommand.add_count("--chain-id", arguments->chain_id,
                       "Id of the chain, where the folder does not store it");
  list("--host", arguments->hosts, "NAME", "A host name that clients may use; may be repeated");
  list("--origin", arguments->origins, "ORIGIN",
       "An origin whose web pages may send queries; '*': any; may be repeated");
  add_limits(subcommand, *arguments);
  add_node_options(
      subcommand, arguments->node,
      [arguments = arguments.get()] {
        return std::ranges::any_of(arguments->follow, [&](const std::string& text) {
          return is_node_address(arguments->chains.empty() ? text : split_name(text).second);
        });
      },
      "--follow");
  subcommand.action([arguments, &session] { session.exit_code = serve(*arguments, session); });
}

}  // namespace bloomery::cli
