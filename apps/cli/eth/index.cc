// eth index: makes and drops the indexes of a chain folder.
#include "apps/ethlog/index/adaptive/index.h"

#include <chrono>
#include <iostream>
#include <memory>

#include "apps/cli/eth/command.h"
#include "apps/cli/eth/index_transactions.h"
#include "apps/cli/shell/interrupts.h"
#include "apps/cli/shell/json.h"
#include "apps/cli/shell/numbers.h"
#include "apps/cli/shell/options.h"
#include "apps/cli/shell/progress.h"
#include "apps/ethlog/check/why_no_section.h"
#include "apps/ethlog/store/chain_census.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

using namespace ethlog;

struct IndexArguments {
  std::string folder;
  std::string kind = "adaptive";
  bool kind_given = false;
  std::optional<std::uint64_t> section;
  std::uint64_t confirms = kDefaultConfirms;
  std::optional<double> rate;
  bool drop = false;
};

// The size is fixed by the first section that is made.
Status fix_section_size(const IndexArguments& arguments, ChainStore& store) {
  const auto there = indexes_in(store.store());
  if (!there) return there.error();
  const bool fixed = there->bloombits || there->adaptive;
  const auto size = fixed ? store.section_size() : Result<std::uint64_t>{kDefaultSectionSize};
  if (!size) return size.error();
  const std::uint64_t wanted = arguments.section.value_or(*size);
  if (fixed && wanted != *size)
    return Error{ErrorCode::kInvalidArgument,
                 message("the folder has an index in sections of ", *size, " blocks, not ", wanted,
                         "; leave --section out, or drop the index first (--drop)")};
  if (wanted > Generator::kMostBlocks)
    return Error{ErrorCode::kInvalidArgument,
                 message("--section: a section has at most ", Generator::kMostBlocks,
                         " blocks, not ", wanted)};
  return fixed ? ok() : store.set_section_size(wanted);
}

// One of the two indexes under way, and what is said of it in the end.
class Indexing {
 public:
  Indexing(const IndexArguments& arguments, const Session& session, ChainStore& store)
      : arguments_{arguments}, session_{session}, store_{store} {}

  Status bloombits() {
    BloombitsIndexer indexer{store_, arguments_.confirms};
    const auto made = run(indexer);
    if (!made) return made.error();
    note(IndexKind::kBloombits, *made);
    const auto count = store_.reader().section_count();
    if (!count) return count.error();
    json["bloombits"] = {{"sections_made", made->generated}, {"sections_from_0", *count}};
    if (!is_loud()) return ok();
    std::cerr << "bloomery: " << format_count(made->generated) << " sections made; "
              << format_count(*count) << " from block 0 on\n";
    return ok();
  }

  Status adaptive() {
    AdaptiveIndexer indexer{store_, {.confirms = arguments_.confirms, .goal = arguments_.rate}};
    const auto made = run(indexer);
    if (!made) return made.error();
    note(IndexKind::kAdaptive, *made);
    json["adaptive"] = {{"sections_made", made->generated},
                        {"without_receipts", made->without_receipts}};
    if (!is_loud()) return ok();
    std::cerr << "bloomery: " << format_count(made->generated) << " adaptive sections made";
    if (made->without_receipts > 0)
      std::cerr << "; " << format_count(made->without_receipts)
                << " left out, because receipts are missing";
    std::cerr << '\n';
    return ok();
  }

  // Where no section was made: why. Where no index has one, the size of one stays open.
  Status settle() {
    const auto size = store_.section_size();
    if (!size) return size.error();
    json["section_size"] = *size;
    if (sections_ == 0 && !InterruptGuard::interrupted()) {
      const auto why = why_no_section(store_, last_kind_, last_, arguments_.confirms);
      if (!why) return why.error();
      json["why_none"] = *why;
      if (is_loud()) std::cerr << "bloomery: no section was made: " << *why << '\n';
    }
    const auto there = indexes_in(store_.store());
    if (!there) return there.error();
    if (there->bloombits || there->adaptive) return store_.sync();
    return forget_unused_section_size(store_.store());
  }

  Json json = Json::object();

 private:
  void note(IndexKind kind, const IndexProgress& made) {
    sections_ += made.generated;
    last_kind_ = kind;
    last_ = made;
  }
  bool is_loud() const { return !session_.globals.quiet && !session_.globals.json; }

  template <class Indexer>
  Result<IndexProgress> run(Indexer& indexer) {
    std::stop_source stop;
    Progress bar{session_.globals, std::nullopt, "sections"};
    const OnSection note = [&](const IndexProgress& now) {
      bar.update(now.generated, 0);
      if (InterruptGuard::interrupted()) stop.request_stop();
    };
    auto made = indexer.run(note, stop.get_token());
    bar.finish();
    return made;
  }

  const IndexArguments& arguments_;
  const Session& session_;
  ChainStore& store_;
  std::uint64_t sections_ = 0;  // made, of either index
  IndexKind last_kind_ = IndexKind::kAdaptive;
  IndexProgress last_;
};

int drop(const IndexArguments& arguments, const Session& session, ChainStore& store) {
  const bool all = !arguments.kind_given || arguments.kind == "both";
  const IndexesThere which{.bloombits = all || arguments.kind == "bloombits",
                           .adaptive = all || arguments.kind == "adaptive"};
  const auto before = indexes_in(store.store());
  if (!before) return complain(arguments.folder, before.error(), Blame::kFilterFile);
  if (const Status dropped = drop_indexes(store.store(), which); !dropped)
    return complain(arguments.folder, dropped.error(), Blame::kFilterFile);
  Json gone = Json::array();
  std::string names;
  const auto name = [&](bool is_gone, const char* kind) {
    if (!is_gone) return;
    gone.push_back(kind);
    names += (names.empty() ? "" : " and ") + std::string{kind};
  };
  name(before->bloombits && which.bloombits, "bloombits");
  name(before->adaptive && which.adaptive, "adaptive");
  if (session.globals.json)
    std::cout << Json{{"dropped", gone}}.dump() << '\n';
  else if (!session.globals.quiet)
    std::cerr << "bloomery: dropped " << (names.empty() ? "nothing: there is no such index" : names)
              << '\n';
  return kExitSuccess;
}

int index(const IndexArguments& arguments, const Session& session) {
  const InterruptGuard guard;
  const auto begun = std::chrono::steady_clock::now();
  if (arguments.rate && arguments.kind == "bloombits")
    return complain("--rate needs the adaptive index: leave --kind out, or add --kind both",
                    kExitUsage);
  auto store = ChainStore::open(arguments.folder, Creation::kMustExist);
  if (!store) return complain(arguments.folder, store.error(), Blame::kArguments);
  if (arguments.drop) return drop(arguments, session, *store);
  if (!store->lost().empty())
    return complain(lost_sentence(store->lost(), arguments.folder), kExitBadFilter);
  if (const Status fixed = fix_section_size(arguments, *store); !fixed)
    return complain(arguments.folder, fixed.error(), Blame::kArguments);
  Indexing indexing{arguments, session, *store};
  const auto blocks = index_transactions(*store, session);
  if (!blocks) return complain(arguments.folder, blocks.error(), Blame::kFilterFile);
  indexing.json["transactions"] = {{"blocks_indexed", *blocks}};
  Status made = arguments.kind == "adaptive" ? ok() : indexing.bloombits();
  if (made && arguments.kind != "bloombits" && !InterruptGuard::interrupted())
    made = indexing.adaptive();
  if (made) made = indexing.settle();
  if (!made) return complain(arguments.folder, made.error(), Blame::kFilterFile);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
  indexing.json["seconds"] = time.count();
  if (session.globals.json) std::cout << indexing.json.dump() << '\n';
  return kExitSuccess;
}

}  // namespace

void attach_eth_index(CommandLine& subcommand, Session& session) {
  subcommand.examples(
      "Examples:\n"
      "  bloomery eth index --db chain                    the adaptive index\n"
      "  bloomery eth index --db chain --rate 0.1%        larger, with fewer false candidates\n"
      "  bloomery eth index --db chain --kind bloombits   geth's index, of header blooms\n"
      "  bloomery eth index --db chain --drop             then sections of another size\n");
  auto arguments = std::make_shared<IndexArguments>();
  add_db_option(subcommand, arguments->folder);
  auto* kind = subcommand.add_option(
      "--kind", arguments->kind,
      "adaptive: from the receipts, as large as the blocks need; bloombits: geth's index");
  kind->choices({"adaptive", "bloombits", "both"})->shows_default(arguments->kind);
  auto* section = subcommand.add_count(
      "--section", arguments->section,
      "Blocks per section, a multiple of 8 (default: 4096; fixed once a section exists)");
  auto* confirms = subcommand.add_count("--confirms", arguments->confirms,
                                        "Blocks that must follow a section before it is indexed");
  auto* rate = subcommand.add_probability(
      "--rate", arguments->rate,
      "False-positive rate of the adaptive index: the share of blocks that are candidates for a "
      "key "
      "they do not have (default: 0.5%; remembered; sections with another rate are rebuilt)");
  auto* fpr = subcommand.add_probability("--fpr", arguments->rate, "The same as --rate");
  fpr->hide();
  rate->excludes(fpr);
  subcommand
      .add_flag("--drop", arguments->drop,
                "Remove the index of --kind (default: all) instead of building it; --section can "
                "be changed when none is left")
      ->excludes(section)
      ->excludes(confirms)
      ->excludes(rate)
      ->excludes(fpr);
  subcommand.action([arguments, kind, &session] {
    arguments->kind_given = kind->given();
    session.exit_code = index(*arguments, session);
  });
}

}  // namespace bloomery::cli
