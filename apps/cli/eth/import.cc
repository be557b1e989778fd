// eth import: blocks from files and other folders into a chain folder.
#include "apps/ethlog/import/import.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/import_node.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "apps/ethlog/import/block_files.h"
#include "apps/ethlog/index/bloombits/index.h"
#include "apps/ethlog/store/chain_census.h"
#include "apps/ethlog/store/geth_directory.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;
namespace fs = std::filesystem;

struct ImportArguments {
  std::string folder;
  std::string format = "auto";
  std::vector<std::string> sources;
  std::optional<std::uint64_t> chain_id;
  bool gaps = false;
  bool no_index = false;
  std::uint64_t confirms = kDefaultConfirms;
};

Result<BlockSource> open_geth(const fs::path& path) {
  auto geth = GethDirectory::open(path);
  if (!geth) return geth.error();
  auto shared = std::make_shared<GethDirectory>(std::move(*geth));
  auto blocks = blocks_in_chain(shared->reader());
  if (!blocks) return blocks.error();
  return BlockSource{[shared, next = std::move(*blocks)] { return next(); }};
}

Result<BlockSource> open_source(const fs::path& path, const std::string& format) {
  std::error_code ignored;
  if (format == "geth" || fs::is_directory(path, ignored)) return open_geth(path);
  const BlockFileKind wanted = format == "era1"    ? BlockFileKind::kEra
                               : format == "jsonl" ? BlockFileKind::kJsonLines
                                                   : BlockFileKind::kAuto;
  return blocks_in_file(path, wanted);
}

std::vector<NamedSource> named_sources(const std::vector<fs::path>& paths,
                                       const std::string& format) {
  std::vector<NamedSource> sources;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    const bool opens_again = fs::is_regular_file(path, ignored) || fs::is_directory(path, ignored);
    sources.push_back({[path, format] { return open_source(path, format); }, opens_again});
  }
  return sources;
}

// A folder that is none of geth's stands for the files in it, by name.
Result<std::vector<fs::path>> expanded(const ImportArguments& arguments) {
  std::vector<fs::path> all;
  for (const std::string& source : arguments.sources) {
    std::error_code failed;
    if (arguments.format == "geth" || !fs::is_directory(source, failed)) {
      all.emplace_back(source);
      continue;
    }
    const auto chaindata = find_chaindata(source);
    if (!chaindata) return chaindata.error();
    if (*chaindata) {
      all.emplace_back(source);
      continue;
    }
    const std::size_t before = all.size();
    const auto names = list_folder(source);
    if (!names) return names.error();
    for (const std::string& name : *names)
      if (fs::is_regular_file(fs::path{source} / name, failed))
        all.push_back(fs::path{source} / name);
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    if (all.size() == before)
      return Error{ErrorCode::kInvalidArgument,
                   source + ": neither a geth folder nor a folder with block files"};
  }
  return all;
}

Status set_chain_id(const ImportArguments& arguments, ChainStore& store) {
  if (!arguments.chain_id) return ok();
  const auto id = store.chain_id();
  if (!id) return id.error();
  if (*id == *arguments.chain_id) return ok();
  if (store.counts().blocks > 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("the folder holds blocks of chain ", *id, ", not ", *arguments.chain_id,
                         "; import these blocks into another folder")};
  return store.set_chain_id(*arguments.chain_id);
}

std::size_t check_threads() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 5) - 1;
}

Status import_all(const ImportArguments& arguments, ChainStore& store, ImportProgress& progress,
                  Progress& bar) {
  if (Status s = set_chain_id(arguments, store); !s) return s;
  const auto paths = expanded(arguments);
  if (!paths) return paths.error();
  std::stop_source stop;
  const auto note = [&](const ImportProgress& now) {
    bar.update(now.blocks, 0);
    if (InterruptGuard::interrupted()) stop.request_stop();
  };
  ImportOptions options{.gaps = arguments.gaps ? Gaps::kAllowed : Gaps::kRefused,
                        .check_threads = check_threads()};
  if (!arguments.no_index) options.index_confirms = arguments.confirms;
  return import_sources(store, named_sources(*paths, arguments.format), options, progress, note,
                        stop.get_token());
}

void print_json(const ImportProgress& progress, const ChainStore& store, double seconds) {
  const auto head = store.reader().head();
  Json json{{"blocks", progress.blocks},
            {"stored", progress.stored},
            {"already_there", progress.blocks - progress.stored},
            {"displaced", progress.displaced},
            {"logs", progress.logs},
            {"sections_made", progress.sections},
            {"verified", verified_json(progress)},
            {"head", nullptr},
            {"in_folder", store.counts().blocks},
            {"unverified", store.counts().unverified},
            {"missing", store.counts().gaps},
            {"lost", Json::array()},
            {"seconds", seconds}};
  if (head && *head) json["head"] = **head;
  for (const ethlog::BlockRange& range : store.lost())
    json["lost"].push_back({range.first, range.last});
  std::cout << json.dump() << '\n';
}

// Whether the first source has a block that can be read. What can be read once is left alone.
Status look_at_first(const ImportArguments& arguments) {
  const auto paths = expanded(arguments);
  if (!paths) return paths.error();
  std::error_code ignored;
  const fs::path& path = paths->front();
  const NamedSource first = named_sources({path}, arguments.format).front();
  if (!first.opens_again && (path == "-" || fs::exists(path, ignored))) return ok();
  const auto blocks = first.open();
  if (!blocks) return blocks.error();
  const auto block = (*blocks)();
  return block ? ok() : Status{block.error()};
}

int complain_of_import(const Error& error) {
  const bool asked_wrongly = error.code == ErrorCode::kInvalidArgument;
  return complain(error.message,
                  exit_code_of(error.code, asked_wrongly ? Blame::kArguments : Blame::kFilterFile));
}

// False: of some blocks the source gave too little to prove that all logs are there and unaltered.
bool are_logs_proven(const ImportProgress& progress) {
  return progress.verified.header_hash == progress.stored &&
         progress.verified.receipts_root == progress.stored;
}

int import(const ImportArguments& arguments, const Session& session) {
  const InterruptGuard guard;
  std::error_code ignored;
  if (!fs::exists(arguments.folder, ignored))  // and does not come to be for nothing
    if (const Status good = look_at_first(arguments); !good)
      return complain_of_import(good.error());
  const auto begun = std::chrono::steady_clock::now();
  auto store = ChainStore::open(arguments.folder, Creation::kAllowed);
  if (!store) return complain(arguments.folder, store.error(), Blame::kArguments);
  if (!store->lost().empty()) warn("", lost_sentence(store->lost(), arguments.folder));
  ImportProgress progress;
  Progress bar{session.globals, std::nullopt, "blocks"};
  const Status imported = import_all(arguments, *store, progress, bar);
  bar.finish();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
  if (session.globals.json)
    print_json(progress, *store, time.count());
  else if (!session.globals.quiet && (progress.blocks > 0 || progress.sections > 0))
    print_import_summary(progress, *store);
  if (!session.globals.json && !session.globals.quiet && !are_logs_proven(progress))
    std::cerr << "bloomery: " << verified_text(progress) << '\n';
  if (imported && progress.blocks == 0 && !InterruptGuard::interrupted())
    return complain("the input has no block", kExitUsage);
  if (imported && !store->lost().empty())
    return complain(lost_sentence(store->lost(), arguments.folder), kExitBadFilter);
  if (imported) return kExitSuccess;
  const int code = complain_of_import(imported.error());
  if (!session.globals.quiet && progress.acknowledged)
    std::cerr << "bloomery: " << arguments.folder << ": imported up to block "
              << *progress.acknowledged << "; these blocks stay, and a new import skips them\n";
  return code;
}

}  // namespace

// "verified in all blocks: header hashes, blooms; receipts roots in 12 of 700".
std::string verified_text(const ImportProgress& progress) {
  std::string all;
  std::string some;
  const auto add = [&](const char* what, std::uint64_t blocks) {
    std::string& list = blocks == progress.stored ? all : some;
    list += list.empty() ? "" : ", ";
    list += what;
    if (blocks != progress.stored)
      list += message(" in ", format_count(blocks), " of ", format_count(progress.stored));
  };
  add("header hashes", progress.verified.header_hash);
  add("transactions roots", progress.verified.body);
  add("receipts roots", progress.verified.receipts_root);
  add("blooms", progress.verified.bloom);
  std::string text = "verified";
  if (!all.empty()) text += " in all blocks: " + all;
  if (!some.empty()) text += (all.empty() ? ": " : "; ") + some;
  return text;
}

Json verified_json(const ImportProgress& progress) {
  return {{"header_hash", progress.verified.header_hash},
          {"transactions_root", progress.verified.body},
          {"receipts_root", progress.verified.receipts_root},
          {"bloom", progress.verified.bloom}};
}

void print_import_summary(const ImportProgress& progress, const ChainStore& store) {
  std::cerr << "bloomery: " << format_count(progress.stored)
            << (progress.stored == 1 ? " block stored with " : " blocks stored with ")
            << format_count(progress.logs) << " logs";
  if (progress.stored < progress.blocks)
    std::cerr << ", " << format_count(progress.blocks - progress.stored) << " were already stored";
  if (progress.displaced > 0)
    std::cerr << ", " << format_count(progress.displaced) << " displaced by another branch";
  if (progress.sections > 0)
    std::cerr << "; " << format_count(progress.sections)
              << (progress.sections == 1 ? " section indexed" : " sections indexed");
  if (store.counts().unverified > 0)
    std::cerr << "; " << format_count(store.counts().unverified)
              << " in the folder have no header to check";
  if (store.counts().gaps > 0)
    std::cerr << "; " << format_count(store.counts().gaps)
              << " are missing between the first and the head";
  std::cerr << '\n';
}

void attach_eth_import(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth import --db chain mainnet-00000-5ec1ffb8.era1\n"
      "  bloomery eth import --db chain blocks.jsonl.xz       a block per line\n"
      "  curl -s URL | bloomery eth import --db chain -       from a pipe\n"
      "  bloomery eth import --db chain ~/.ethereum           of a stopped geth node\n"
      "  bloomery eth import --db chain --gaps era/           with missing blocks\n"
      "  bloomery eth import --db chain --from-rpc http://127.0.0.1:8545   from a node\n");
  auto arguments = std::make_shared<ImportArguments>();
  auto node = std::make_shared<NodeImportArguments>();
  add_db_option(subcommand, arguments->folder);
  Option* const format =
      subcommand
          .add_option("--format", arguments->format, "Format of the sources; era1 includes ere")
          ->choices({"auto", "jsonl", "era1", "geth"})
          ->shows_default(arguments->format);
  Option* const gaps =
      subcommand.add_flag("--gaps", arguments->gaps, "Accept blocks whose parent is missing");
  auto* confirms = subcommand.add_count("--confirms", arguments->confirms,
                                        "Blocks that must follow a section before it is indexed");
  confirms->shows_default(std::to_string(kDefaultConfirms));
  subcommand
      .add_flag("--no-index", arguments->no_index,
                "Do not index sections as they become complete (default: every index that the "
                "folder has, or the adaptive one)")
      ->excludes(confirms);
  subcommand.add_count("--chain-id", arguments->chain_id,
                       "Id of the chain (default: 1, the main network; remembered)");
  subcommand.add_list(
      "SOURCE", arguments->sources,
      "Files of blocks (plain or compressed with gzip, zstd, xz, bzip2 or lz4; -: "
      "stdin), folders of such files, or folders of geth. Headers, blooms and roots are "
      "checked as far as the source has the data; transaction hashes in JSON lines "
      "without transactions are not checked");
  add_node_import_options(subcommand, *node);
  Option* const from_rpc = subcommand.find_option("--from-rpc");
  format->excludes(from_rpc);
  gaps->excludes(from_rpc);
  subcommand.check([arguments, node]() -> Status {
    if (arguments->sources.empty() == !node->address.empty()) return ok();
    return usage_error(
        node->address.empty()
            ? "SOURCE is required: files of blocks, or a node with --from-rpc URL"
            : "blocks come from files or from a node: leave SOURCE or --from-rpc out");
  });
  subcommand.action([arguments, node, &session] {
    if (!arguments->no_index) node->index_confirms = arguments->confirms;
    session.exit_code = node->address.empty()
                            ? import(*arguments, session)
                            : import_node(*node, arguments->folder, arguments->chain_id, session);
  });
}

}  // namespace bloomery::cli
