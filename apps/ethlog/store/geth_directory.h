// A folder of a geth node, searched in place: its key/value database and its freezer, never written
// to. Also detects which kind of folder the user named.
#pragma once
#include <filesystem>
#include <memory>

#include "apps/ethlog/store/chain_store.h"

namespace bloomery::ethlog {

// The folder with geth's LevelDB database: the one named, or chaindata or geth/chaindata below it.
// Nothing where there is none. A Pebble database is an error that says what to do instead.
Result<std::optional<std::filesystem::path>> find_chaindata(const std::filesystem::path& folder);

class GethDirectory {
 public:
  // `folder` as for find_chaindata. Refused while a node is running in it.
  static Result<GethDirectory> open(const std::filesystem::path& folder);

  const ChainReader& reader() const { return *reader_; }
  const std::filesystem::path& chaindata() const { return chaindata_; }

 private:
  GethDirectory() = default;
  std::filesystem::path chaindata_;
  std::unique_ptr<KeyValueStore> store_;
  std::unique_ptr<Freezer> freezer_;
  std::unique_ptr<ChainReader> reader_;
};

// A chain to read: a store of ours or a folder of geth. Several processes may
// read one at a time, and none may write meanwhile.
class ChainFolder {
 public:
  static Result<ChainFolder> open(const std::filesystem::path& folder);

  const ChainReader& reader() const { return geth_ ? geth_->reader() : own_->reader(); }
  bool is_geth() const { return geth_.has_value(); }
  // Null for geth's. Nothing can be written into it.
  const ChainStore* own() const { return own_ ? &*own_ : nullptr; }

 private:
  ChainFolder() = default;
  std::optional<GethDirectory> geth_;
  std::optional<ChainStore> own_;
};

// Canonical blocks from the lowest that has receipts on, to the head. The reader must outlive it.
Result<BlockSource> blocks_in_chain(const ChainReader& reader);

}  // namespace bloomery::ethlog
