#include "apps/ethlog/store/geth_directory.h"

#include "apps/ethlog/store/chain_records.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

struct Contents {
  bool current = false;
  bool ldb_tables = false;
  bool pebble = false;
};

// Pebble has no file CURRENT of old but a marker, writes OPTIONS files, and tables named *.sst.
Result<Contents> contents_of(const fs::path& folder) {
  Contents found;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return found;
  const auto names = list_folder(folder.string());
  if (!names) return names.error();
  for (const std::string& name : *names) {
    found.current |= name == "CURRENT";
    found.ldb_tables |= name.ends_with(".ldb");
    found.pebble |= name.starts_with("OPTIONS-") || name.starts_with("marker.manifest.") ||
                    name.starts_with("marker.format-version.") || name.ends_with(".sst");
  }
  return found;
}

Error pebble_error(const fs::path& folder) {
  return {
      ErrorCode::kUnsupported,
      folder.string() +
          ": this is a Pebble database, and only LevelDB databases of geth are read; import from "
          "the running node (bloomery eth import --from-rpc http://127.0.0.1:8545), or stop it and "
          "export its history to files that are read (geth export-history DIR 0 LAST)"};
}

}  // namespace

Result<std::optional<fs::path>> find_chaindata(const fs::path& folder) {
  for (const char* below : {"", "chaindata", "geth/chaindata"}) {
    const fs::path candidate = *below == '\0' ? folder : folder / below;
    if (is_chain_store(candidate)) continue;
    const auto found = contents_of(candidate);
    if (!found) return found.error();
    if (found->pebble && !found->ldb_tables) return pebble_error(candidate);
    if (found->current) return std::optional{candidate};
  }
  return std::optional<fs::path>{};
}

Result<GethDirectory> GethDirectory::open(const fs::path& folder) {
  const auto chaindata = find_chaindata(folder);
  if (!chaindata) return chaindata.error();
  if (!*chaindata)
    return Error{
        ErrorCode::kInvalidArgument,
        folder.string() +
            ": this is no data folder of geth: a chaindata folder with a LevelDB database was "
            "expected in it"};
  GethDirectory geth;
  geth.chaindata_ = **chaindata;
  auto store = open_foreign_leveldb(geth.chaindata_);
  if (!store && store.error().code == ErrorCode::kMalformed)
    return Error{store.error().code,
                 message(store.error().message,
                         "; start the node on it, so that it repairs it, or restore a copy")};
  if (!store) return store.error();
  geth.store_ = std::move(*store);
  const auto ours = geth.store_->get(kCountsKey);
  if (!ours) return ours.error();
  if (*ours)
    return Error{ErrorCode::kMalformed,
                 message(geth.chaindata_.string(),
                         ": the file BLOOMERY-CHAIN is missing in a "
                         "folder that bloomery made; bloomery eth verify --db ",
                         geth.chaindata_.string(), " --repair writes it anew")};
  auto freezer = Freezer::open(geth.chaindata_);
  if (!freezer) return freezer.error();
  if (*freezer) geth.freezer_ = std::make_unique<Freezer>(std::move(**freezer));
  geth.reader_ = std::make_unique<ChainReader>(*geth.store_, geth.freezer_.get());
  if (geth.freezer_) return geth;
  // The first blocks are in the database until a freezer has them.
  const auto lowest = geth.reader_->lowest();
  if (!lowest) return lowest.error();
  if (lowest->value_or(0) > 0)
    return Error{ErrorCode::kMalformed,
                 message(geth.chaindata_.string(), ": the blocks below ", **lowest,
                         " are missing: they should be in the folder ancient")};
  return geth;
}

Result<ChainFolder> ChainFolder::open(const fs::path& folder) {
  ChainFolder chain;
  if (!is_chain_store(folder)) {
    auto geth = GethDirectory::open(folder);
    if (!geth && geth.error().code == ErrorCode::kInvalidArgument)
      return Error{
          ErrorCode::kInvalidArgument,
          folder.string() +
              ": the folder holds no chain: neither one that was imported nor one of geth"};
    if (!geth) return geth.error();
    chain.geth_ = std::move(*geth);
    return chain;
  }
  const auto marker = read_marker(folder);
  if (!marker) return marker.error();
  auto store = open_foreign_leveldb(folder);
  if (!store) return with_repair_advice(folder, store.error());
  auto own = ChainStore::over(std::move(*store), *marker);
  if (!own) return with_repair_advice(folder, own.error());
  chain.own_ = std::move(*own);
  return chain;
}

Result<BlockSource> blocks_in_chain(const ChainReader& reader) {
  const auto head = reader.head();
  if (!head) return head.error();
  const std::uint64_t first = reader.freezer() ? reader.freezer()->first_with_receipts() : 0;
  const std::uint64_t past = *head ? **head + 1 : 0;
  return BlockSource{
      [&reader, past, number = first]() mutable -> Result<std::optional<ImportedBlock>> {
        if (number >= past) return std::optional<ImportedBlock>{};
        const auto hash = reader.canonical_hash(number);
        if (!hash) return hash.error();
        if (!*hash)
          return Error{ErrorCode::kMalformed,
                       message("block ", number, ": the database has no canonical hash for it")};
        const auto block = reader.block(number, **hash);
        if (!block) return block.error();
        if (*block == nullptr)
          return Error{ErrorCode::kMalformed,
                       message("block ", number, ": the database has no record of it")};
        ++number;
        return std::optional{**block};
      }};
}

}  // namespace bloomery::ethlog
