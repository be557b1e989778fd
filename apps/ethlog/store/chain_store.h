// Our own store of a chain: blocks go in checked, one is canonical per number, and what a
// reorganisation takes back is taken back everywhere, indexes included, in one step.
#pragma once
#include <memory>

#include "apps/ethlog/kv/kv_leveldb.h"
#include "apps/ethlog/store/block_check.h"
#include "apps/ethlog/store/chain_marker.h"
#include "apps/ethlog/store/chain_reader.h"

namespace bloomery::ethlog {

// What one import did to the canonical chain.
struct ChainChange {
  bool stored = false;           // false: the very same block was there already
  std::vector<BlockId> removed;  // no longer canonical, the highest first
  std::vector<BlockId> added;    // canonical from now on, the lowest first
  // It was canonical without receipts, and has them now: its logs are news.
  std::optional<BlockId> completed;
  // The completed one had another bloom, which indexes may have gone by: they were rolled back.
  bool bloom_changed = false;
  Verified verified;  // of the block that was stored
};

struct StoreCounts {
  std::uint64_t blocks = 0;      // canonical ones
  std::uint64_t unverified = 0;  // of them, without a header that hashes to their hash
  std::uint64_t gaps = 0;        // numbers between the lowest and the head that are missing
  std::optional<std::uint64_t> lowest;
};

// One writer; readers in the same process may go on meanwhile.
class ChainStore {
 public:
  // A database in the folder that is not ours is refused: opening would already change it.
  static Result<ChainStore> open(const std::filesystem::path& folder, Creation creation,
                                 const LevelDbOptions& options = {});
  // The same of a folder that is damaged: keeps the blocks that can be read and are right, and
  // knows the others as lost. The database is made anew where its files are damaged.
  static Result<ChainStore> open_to_repair(const std::filesystem::path& folder);
  // For chains in memory, and for a folder that is only read, with its marker.
  static Result<ChainStore> over(std::unique_ptr<KeyValueStore> store,
                                 const std::optional<ChainMarker>& marker = {});

  const ChainReader& reader() const { return *reader_; }
  KeyValueStore& store() { return *store_; }
  const KeyValueStore& store() const { return *store_; }

  // Checks the block, stores it and makes it canonical, with all its ancestors that are not: the
  // last import wins, as the head of a node does. Its parent must be in the store unless gaps are
  // allowed or the store is empty. A block that would displace the lowest one is refused, unless
  // it has the same parent or is vouched for: nothing says that it is of this chain. A block that
  // is stored already gains the parts it lacked, and loses none. An error changes nothing.
  // `checked`: what check_block returned for this very block, where the caller called it already.
  Result<ChainChange> add(ImportedBlock block, Gaps gaps,
                          const std::optional<Status>& checked = {});
  // Whether add() would find it stored already, with all that it has. Any thread may ask.
  Result<bool> is_known(const ImportedBlock& block) const;
  // All that was added before would survive a loss of power, and if it vanished nevertheless it
  // would be noticed. Without it, it survives the end of this process.
  Status sync();
  // Blocks that were synced once and are not there any more, until they are imported again.
  const std::vector<BlockRange>& lost() const { return lost_; }

  // Notes what a node said: from now on no block up to the finalized one is displaced. Each block
  // must be canonical here. One below what was noted before is ignored: finality does not go back.
  // Cheap where nothing changes; kept across a loss of power from the next sync() on.
  Status set_finality(const Finality& finality);

  // Puts the next blocks that were stored before there was an index of transactions into it, at
  // most so many. False: there are none left.
  Result<bool> index_transactions(std::uint64_t most_blocks);

  Result<std::uint64_t> chain_id() const;  // 1 unless set
  Status set_chain_id(std::uint64_t id);
  // Blocks per section of the indexes; fixed by the first index that is made.
  Result<std::uint64_t> section_size() const;
  Status set_section_size(std::uint64_t blocks);

  // Kept up to date with every block.
  const StoreCounts& counts() const { return counts_; }

 private:
  explicit ChainStore(std::unique_ptr<KeyValueStore> store);
  Status load_counts();
  Status load_transactions();
  // By the records of the blocks themselves.
  Status recount();
  // Compares the store with what its folder says that was synced.
  Status compare_with(const ChainMarker& marker);
  Status trim_lost();
  Status write_marker_file() const;
  Status drop_wrong_blocks();
  Status set_head(std::uint64_t number);
  // The block as it is stored, or null.
  Result<ChainReader::Block> complete_from_stored(ImportedBlock& block) const;
  // Indexes that go by what is no longer so lose those sections.
  Status roll_back_indexes(const ChainChange& change, WriteBatch& batch) const;
  // The blocks that become canonical with this one, the lowest first, itself last.
  Result<std::vector<BlockId>> branch_of(ImportedBlock& block, Gaps gaps) const;
  Result<std::vector<BlockId>> displaced_by(const std::vector<BlockId>& branch) const;
  Result<bool> is_unverified(const BlockId& id) const;
  Status check_finality(const ImportedBlock& block, const std::vector<BlockId>& removed) const;
  Status check_common_ancestor(const ImportedBlock& block, const BlockId& root,
                               const std::vector<BlockId>& removed, Gaps gaps) const;
  Result<StoreCounts> counts_after(const ImportedBlock& block, const ChainChange& change,
                                   WriteBatch& batch) const;
  void put_block(const ImportedBlock& block, WriteBatch& batch) const;
  // With the pointer to the head that the batch before it has.
  Status put_transaction_index(const TransactionIndex& index, std::uint64_t blocks,
                               WriteBatch& batch) const;

  std::unique_ptr<KeyValueStore> store_;
  std::unique_ptr<ChainReader> reader_;
  StoreCounts counts_;
  std::filesystem::path folder_;  // empty: none that could be written
  std::uint64_t synced_ = 0;      // counts syncs, here and in the folder's marker
  std::vector<BlockRange> lost_;
};

// Whether the folder holds a store of ours, empty ones included.
bool is_chain_store(const std::filesystem::path& folder);

inline constexpr std::uint64_t kDefaultSectionSize = 4096;

}  // namespace bloomery::ethlog
