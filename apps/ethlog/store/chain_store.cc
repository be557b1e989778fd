#include "apps/ethlog/store/chain_store.h"

#include <algorithm>

#include "apps/ethlog/model/receipts.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/store/block_note.h"
#include "apps/ethlog/store/chain_records.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "apps/ethlog/store/transaction_index.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::string_view kChainIdKey = "bloomery/chain-id";
constexpr std::string_view kGethVersion{"\x09", 1};  // RLP of the version that v1.15 to v1.17 write

Status put_number(KeyValueStore& store, std::string_view key, std::uint64_t number) {
  WriteBatch batch;
  batch.put(key, encode_number(number));
  return store.write(batch, Durability::kSynced);
}

}  // namespace

Result<bool> ChainStore::is_known(const ImportedBlock& block) const {
  const Header& header = block.header;
  const auto canonical = reader_->canonical_hash(header.number);
  if (!canonical) return canonical.error();
  if (*canonical != header.hash) return false;
  if (!block.has_receipts) return true;
  const auto receipts = store_->get(receipts_key(header.number, header.hash));
  if (!receipts) return receipts.error();
  return receipts->has_value();  // otherwise the block is stored again, with its receipts
}

// Of a block on a side branch, or stored without its receipts.
Result<ChainReader::Block> ChainStore::complete_from_stored(ImportedBlock& block) const {
  auto stored = reader_->block(block.header.number, block.header.hash);
  if (!stored || *stored == nullptr) return stored;
  const ImportedBlock& old = **stored;
  if (old.has_receipts || !block.has_receipts) {
    block = old;
    return stored;
  }
  if (block.header.rlp.empty()) block.header = old.header;
  if (block.body_rlp.empty()) block.body_rlp = old.body_rlp;
  return stored;
}

Status ChainStore::roll_back_indexes(const ChainChange& change, WriteBatch& batch) const {
  if (change.removed.empty() && !change.bloom_changed) return ok();
  const auto size = section_size();
  if (!size) return size.error();
  const std::uint64_t first =
      change.removed.empty() ? change.completed->number : change.removed.back().number;
  return roll_back_sections(*store_, *size, first, batch);
}

Result<std::vector<BlockId>> ChainStore::branch_of(ImportedBlock& block, Gaps gaps) const {
  const Header& header = block.header;
  std::vector<BlockId> branch{{header.number, header.hash}};
  std::optional<Hash> below;
  if (header.number > 0) {
    const auto canonical = reader_->canonical_hash(header.number - 1);
    if (!canonical) return canonical.error();
    below = *canonical;
  }
  std::optional<Hash> parent = header.parent_hash;
  // A parent on a side branch counts as well, and makes that branch the chain.
  if (header.number > 0 && parent && below != parent) {
    const auto side = reader_->number_of(*parent);
    if (!side) return side.error();
    if (*side == header.number - 1) below = parent;
  }
  // The lowest block has no parent here, neither when it comes nor when it gains its receipts.
  const auto there = reader_->canonical_hash(header.number);
  if (!there) return there.error();
  const bool needs_parent = counts_.blocks > 0 && *there != header.hash;
  if (Status s = check_parent(block, below, needs_parent ? gaps : Gaps::kAllowed); !s)
    return s.error();
  if (block.header_contradicts && !block.verified.header_hash && below) {
    const auto unverified = is_unverified({header.number - 1, *below});
    if (!unverified) return unverified.error();
    if (!*unverified)
      return Error{
          ErrorCode::kMalformed,
          message("block ", header.number, ": its header does not hash to ", header.hash.hex(),
                  ", as that of the block before does: a member "
                  "differs or is missing")};
  }
  for (std::uint64_t number = header.number; number > 0 && parent; --number) {
    const auto canonical = reader_->canonical_hash(number - 1);
    if (!canonical) return canonical.error();
    if (*canonical == parent) break;
    const auto ancestor = reader_->header(number - 1, *parent);
    if (!ancestor) return ancestor.error();
    if (!*ancestor) {
      if (!*canonical) break;  // a gap, which was allowed when the block above it came
      return Error{ErrorCode::kMalformed,
                   message("block ", header.number, ": its branch goes back to block ", number,
                           ", whose parent ", parent->hex(), " is not in the store, where block ",
                           number - 1, " is ", (*canonical)->hex())};
    }
    branch.push_back({number - 1, *parent});
    parent = (*ancestor)->parent_hash;
  }
  std::ranges::reverse(branch);
  return branch;
}

// What is canonical where the branch will be, and above it unless it follows from the branch.
Result<std::vector<BlockId>> ChainStore::displaced_by(const std::vector<BlockId>& branch) const {
  std::vector<BlockId> removed;
  for (const BlockId& id : branch) {
    const auto canonical = reader_->canonical_hash(id.number);
    if (!canonical) return canonical.error();
    if (*canonical && **canonical != id.hash) removed.push_back({id.number, **canonical});
  }
  const BlockId& tip = branch.back();
  for (std::uint64_t number = tip.number + 1;; ++number) {
    const auto canonical = reader_->canonical_hash(number);
    if (!canonical) return canonical.error();
    if (!*canonical) break;
    if (number == tip.number + 1) {
      const auto header = reader_->header(number, **canonical);
      if (!header) return header.error();
      if (*header && (*header)->parent_hash == tip.hash) break;
      if (*header && !(*header)->parent_hash) break;  // nothing says that it does not follow
    }
    removed.push_back({number, **canonical});
  }
  std::ranges::reverse(removed);
  return removed;
}

// Below the lowest block there is nothing that both could stand on, unless both name one parent.
// `removed`: the highest first.
Status ChainStore::check_common_ancestor(const ImportedBlock& block, const BlockId& root,
                                         const std::vector<BlockId>& removed, Gaps gaps) const {
  if (removed.empty() || removed.back().number != counts_.lowest || gaps == Gaps::kVouched)
    return ok();
  const BlockId& lowest = removed.back();
  const auto old = reader_->header(lowest.number, lowest.hash);
  if (!old) return old.error();
  const bool replaces = lowest.number > 0 && root == BlockId{lowest.number, block.header.hash};
  if (replaces && *old && (**old).parent_hash && (**old).parent_hash == block.header.parent_hash)
    return ok();
  return Error{ErrorCode::kInvalidArgument,
               message("block ", root.number, " (", root.hash.hex(), ") would displace block ",
                       lowest.number, " (", lowest.hash.hex(),
                       "), the lowest in the folder, with all blocks above it: it is of another "
                       "chain; import it into another folder (--db)")};
}

void ChainStore::put_block(const ImportedBlock& block, WriteBatch& batch) const {
  const Header& header = block.header;
  if (!header.rlp.empty()) batch.put(header_key(header.number, header.hash), text_of(header.rlp));
  batch.put(block_number_key(header.hash), encode_number(header.number));
  if (!block.body_rlp.empty())
    batch.put(body_key(header.number, header.hash), text_of(block.body_rlp));
  if (block.has_receipts)
    batch.put(receipts_key(header.number, header.hash), text_of(encode_storage(block.receipts)));
  batch.put(note_key(header.number, header.hash), text_of(encode_note(block)));
}

Result<bool> ChainStore::is_unverified(const BlockId& id) const {
  const auto block = reader_->block(id.number, id.hash);
  if (!block) return block.error();
  return *block != nullptr && !(*block)->verified.header_hash;
}

// The counts as they will be, and the pointers to the head.
Result<StoreCounts> ChainStore::counts_after(const ImportedBlock& block, const ChainChange& change,
                                             WriteBatch& batch) const {
  StoreCounts counts = counts_;
  for (const BlockId& id : change.removed) {
    const auto unverified = is_unverified(id);
    if (!unverified) return unverified.error();
    counts.blocks -= 1;
    counts.unverified -= *unverified ? 1 : 0;
  }
  for (const BlockId& id : change.added) {
    const auto unverified = id.hash == block.header.hash ? Result<bool>{!block.verified.header_hash}
                                                         : is_unverified(id);
    if (!unverified) return unverified.error();
    counts.blocks += 1;
    counts.unverified += *unverified ? 1 : 0;
    counts.lowest = std::min(counts.lowest.value_or(id.number), id.number);
  }
  const auto old = reader_->canonical_hash(block.header.number);
  if (!old) return old.error();
  if (*old == block.header.hash) {  // it was canonical, and becomes more complete
    const auto unverified = is_unverified({block.header.number, block.header.hash});
    if (!unverified) return unverified.error();
    counts.unverified -= *unverified ? 1 : 0;
    counts.unverified += block.verified.header_hash ? 0 : 1;
  }
  const auto old_head = reader_->head();
  if (!old_head) return old_head.error();
  BlockId head{block.header.number, block.header.hash};
  const bool head_goes =
      !change.removed.empty() && *old_head && change.removed.front().number == **old_head;
  if (*old_head && !head_goes && **old_head > head.number) {
    const auto hash = reader_->canonical_hash(**old_head);
    if (!hash) return hash.error();
    head = {**old_head, hash->value_or(Hash{})};
  }
  for (const std::string_view key : {kHeadHeaderKey, kHeadBlockKey, kHeadFastBlockKey})
    batch.put(key, text_of(head.hash.view()));
  counts.gaps = head.number - counts.lowest.value_or(head.number) + 1 - counts.blocks;
  batch.put(kCountsKey, encode_counts(counts));
  return counts;
}

Result<ChainChange> ChainStore::add(ImportedBlock block, Gaps gaps,
                                    const std::optional<Status>& checked) {
  const auto known = is_known(block);
  if (!known) return known.error();
  ChainChange change;
  if (*known) return change;
  const auto old = complete_from_stored(block);
  if (!old) return old.error();
  const bool as_checked = checked && *old == nullptr;  // otherwise it may have gained parts
  if (Status right = as_checked ? *checked : check_block(block); !right) return right.error();
  const auto branch = branch_of(block, gaps);
  if (!branch) return branch.error();
  auto removed = displaced_by(*branch);
  if (!removed) return removed.error();
  if (Status s = check_finality(block, *removed); !s) return s.error();
  if (Status s = check_common_ancestor(block, branch->front(), *removed, gaps); !s)
    return s.error();
  change.removed = std::move(*removed);
  WriteBatch batch;
  if (counts_.blocks == 0) batch.put(kDatabaseVersionKey, kGethVersion);
  put_block(block, batch);
  for (const BlockId& id : change.removed) batch.remove(canonical_hash_key(id.number));
  for (const BlockId& id : *branch) {
    const auto canonical = reader_->canonical_hash(id.number);
    if (!canonical) return canonical.error();
    if (*canonical != id.hash) change.added.push_back(id);
    batch.put(canonical_hash_key(id.number), text_of(id.hash.view()));
  }
  if (*old != nullptr && change.added.empty() && block.has_receipts && !(*old)->has_receipts) {
    change.completed = branch->back();
    change.bloom_changed = (*old)->header.bloom != block.header.bloom;
  }
  if (Status s = roll_back_indexes(change, batch); !s) return s.error();
  const auto counts = counts_after(block, change, batch);
  if (!counts) return counts.error();
  const auto transactions = change_transaction_index(*reader_, block, *old, change, batch);
  if (!transactions) return transactions.error();
  if (Status s = put_transaction_index(*transactions, counts->blocks, batch); !s) return s.error();
  if (Status s = store_->write(batch, Durability::kBuffered); !s) return s.error();
  reader_->forget(block.header.hash);
  reader_->set_transaction_index(*transactions);
  counts_ = *counts;
  change.stored = true;
  change.verified = block.verified;
  return change;
}

Result<std::uint64_t> ChainStore::chain_id() const { return number_at(*store_, kChainIdKey, 1); }
Status ChainStore::set_chain_id(std::uint64_t id) {
  if (Status s = put_number(*store_, kChainIdKey, id); !s) return s;
  return sync();
}

Result<std::uint64_t> ChainStore::section_size() const {
  return number_at(*store_, kSectionSizeKey, kDefaultSectionSize);
}

Status ChainStore::set_section_size(std::uint64_t blocks) {
  if (blocks == 0 || blocks % 8 != 0)
    return Error{ErrorCode::kInvalidArgument,
                 message("a section should have a multiple of 8 blocks, not ", blocks)};
  return put_number(*store_, kSectionSizeKey, blocks);
}

}  // namespace bloomery::ethlog
