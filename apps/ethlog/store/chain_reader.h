// A chain as its readers see it: canonical blocks by number and all blocks by hash, out of a store
// and, of a geth node, its freezer. Serves our own store and a geth folder alike.
#pragma once
#include <memory>

#include "apps/ethlog/kv/kv.h"
#include "apps/ethlog/model/block_range.h"
#include "apps/ethlog/model/chain.h"
#include "apps/ethlog/store/freezer.h"

namespace bloomery::ethlog {

struct BlockId {
  std::uint64_t number = 0;
  Hash hash;
  friend bool operator==(const BlockId&, const BlockId&) = default;
};

// What a node said of its chain, as far as these blocks are canonical in the store.
struct Finality {
  std::optional<BlockId> safe;       // unlikely to be displaced
  std::optional<BlockId> finalized;  // never displaced any more
  friend bool operator==(const Finality&, const Finality&) = default;
};

// How much of a store of ours its index of transactions covers.
struct TransactionIndex {
  std::optional<BlockRange> rest = {};  // blocks that are not indexed yet
  std::uint64_t unnamed = 0;            // indexed blocks whose transactions' hashes are not known
  friend bool operator==(const TransactionIndex&, const TransactionIndex&) = default;
};

// Our own records of a block; geth uses no key that begins with this.
inline constexpr std::string_view kNotePrefix = "bloomery/note/";
std::string note_key(std::uint64_t number, const Hash& hash);

// Many threads may read at once, also while another writes into the store.
class ChainReader {
 public:
  // Both outlive the reader. The freezer may be null.
  explicit ChainReader(const KeyValueStore& store, const Freezer* freezer = nullptr);
  ChainReader(ChainReader&&) noexcept;
  ~ChainReader();

  // Of the newest canonical block; nothing for an empty chain.
  Result<std::optional<std::uint64_t>> head() const;
  // Of the lowest canonical block, and of pruned history the lowest with receipts.
  Result<std::optional<std::uint64_t>> lowest() const;
  // Of the first canonical block from this number on: how a gap is passed in one step.
  Result<std::optional<std::uint64_t>> next_block(std::uint64_t from) const;
  // Of the newest block that can no longer be displaced, as far as a node noted it.
  Result<std::optional<std::uint64_t>> finalized() const;
  // The same with hashes, and the safe block, which only our own store notes. A safe block that was
  // displaced is none; one below the finalized block gives way to it.
  Result<Finality> finality() const;
  Result<std::optional<Hash>> canonical_hash(std::uint64_t number) const;
  Result<std::optional<std::uint64_t>> number_of(const Hash& hash) const;
  // Nothing where the store has no such block.
  Result<std::optional<Header>> header(std::uint64_t number, const Hash& hash) const;
  // The canonical one.
  Result<std::optional<Header>> header(std::uint64_t number) const;

  // Header, transaction hashes and receipts, decoded. `has_receipts` is false where they are not
  // stored. The last blocks asked for are remembered.
  using Block = std::shared_ptr<const ImportedBlock>;
  Result<Block> block(std::uint64_t number, const Hash& hash) const;  // null: no such block
  // For the writer, after it gave a block more parts.
  void forget(const Hash& hash) const;

  // Blocks that were in the store once and are not any more. A search that needs one is an error.
  std::vector<BlockRange> lost() const;
  void set_lost(std::vector<BlockRange> lost) const;
  // Of a store of ours.
  TransactionIndex transaction_index() const;
  void set_transaction_index(const TransactionIndex& index) const;
  // Whether the store is one of ours (ChainStore), which notes what it checked of a block.
  bool is_own() const { return own_; }
  void set_own() { own_ = true; }

  // Of the bloom-bit index: 0 where there is none.
  Result<std::uint64_t> section_count() const;
  Result<std::optional<Hash>> section_head(std::uint64_t section) const;
  // As stored, and so perhaps compressed; nothing where it is missing.
  Result<std::optional<std::string>> bloom_vector(std::uint16_t bit, std::uint64_t section,
                                                  const Hash& head) const;

  const KeyValueStore& store() const { return *store_; }
  const Freezer* freezer() const { return freezer_; }

 private:
  class Cache;
  Result<std::optional<StoredParts>> parts(std::uint64_t number, const Hash& hash) const;
  Result<Block> read_block(std::uint64_t number, const Hash& hash) const;
  // Whether the freezer has this very block.
  Result<bool> is_frozen(std::uint64_t number, const Hash& hash) const;

  const KeyValueStore* store_;
  const Freezer* freezer_;
  bool own_ = false;
  std::unique_ptr<Cache> cache_;
};

}  // namespace bloomery::ethlog
