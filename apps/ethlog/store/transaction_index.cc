#include "apps/ethlog/store/transaction_index.h"

#include <algorithm>

#include "apps/ethlog/model/block_body.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/model/trie_root.h"
#include "apps/ethlog/store/chain_records.h"
#include "apps/ethlog/store/schema.h"
#include "bloomery/base/endian.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

constexpr std::uint64_t kIndexVersion = 1;
// Of the hash: two transactions share them by chance once in 2^64, and then both blocks are read.
constexpr std::size_t kKeyHashDigits = 8;
constexpr std::size_t kKeyNumberDigits = 6;
constexpr std::size_t kMostIndexBatchBytes = std::size_t{4} << 20;
constexpr std::string_view kGethTailKey = "TransactionIndexTail";

ByteView raw_bytes(std::string_view text) { return std::as_bytes(std::span{text}); }

// 't', 8 bytes of the hash, 6 of the block's number: 15 bytes, which a string holds in place. No
// value.
std::string transaction_prefix(const Hash& hash) {
  return "t" + std::string{text_of(hash.view().first(kKeyHashDigits))};
}

std::string transaction_key(const Hash& hash, std::uint64_t number) {
  return transaction_prefix(hash) + encode_number(number).substr(8 - kKeyNumberDigits);
}

bool are_named(const ImportedBlock& block) {
  if (!block.body_rlp.empty()) return true;
  if (block.header.transactions_root == empty_trie_root()) return true;
  if (!block.has_receipts) return false;
  return block.transaction_hashes.size() == block.receipts.size();
}

// Checked blocks have those of their body already.
std::vector<Hash> hashes_of(const ImportedBlock& block) {
  if (!block.transaction_hashes.empty() || block.body_rlp.empty()) return block.transaction_hashes;
  const auto body = decode_body(block.body_rlp);
  return body ? body->transaction_hashes() : std::vector<Hash>{};
}

bool is_within(const std::optional<BlockRange>& range, std::uint64_t number) {
  return range && number >= range->first && number <= range->last;
}

Result<std::optional<TransactionPlace>> place_in(const ChainReader& reader, std::uint64_t number,
                                                 const Hash& hash) {
  const auto canonical = reader.canonical_hash(number);
  if (!canonical) return canonical.error();
  if (!*canonical) return std::optional<TransactionPlace>{};
  const auto block = reader.block(number, **canonical);
  if (!block) return block.error();
  if (*block == nullptr) return std::optional<TransactionPlace>{};
  const auto& hashes = (*block)->transaction_hashes;
  const auto at = std::ranges::find(hashes, hash);
  if (at == hashes.end()) return std::optional<TransactionPlace>{};
  return std::optional{TransactionPlace{*block, static_cast<std::size_t>(at - hashes.begin())}};
}

Error not_said(std::string why) {
  return {
      ErrorCode::kUnsupported,
      message("the transaction is not in the index, which does not say that there is none: ", why)};
}

// Whether nothing found means that there is nothing.
Status check_whole(const ChainReader& reader) {
  const TransactionIndex index = reader.transaction_index();
  if (index.rest)
    return not_said(message("blocks ", index.rest->first, " to ", index.rest->last,
                            " are not indexed yet; run bloomery eth index, or serve with --follow, "
                            "which index them"));
  if (const auto lost = reader.lost(); !lost.empty())
    return not_said(message("the chain lost ", text_of_ranges(lost), "; import them again"));
  if (index.unnamed > 0)
    return not_said(message(index.unnamed,
                            " blocks came without the hashes of their transactions; import their "
                            "bodies"));
  return ok();
}

Result<std::optional<TransactionPlace>> find_own(const ChainReader& reader, const Hash& hash) {
  const std::string prefix = transaction_prefix(hash);
  std::vector<std::uint64_t> numbers;
  const Status scanned =
      reader.store().scan(prefix, after_prefix("t"), [&](std::string_view key, std::string_view) {
        if (!key.starts_with(prefix)) return false;
        if (key.size() == prefix.size() + kKeyNumberDigits)
          numbers.push_back(decode_number(std::string(8 - kKeyNumberDigits, '\0') +
                                          std::string{key.substr(prefix.size())})
                                .value_or(0));
        return true;
      });
  if (!scanned) return scanned.error();
  for (const std::uint64_t number : numbers) {
    auto place = place_in(reader, number, hash);
    if (!place || *place) return place;
  }
  if (const Status whole = check_whole(reader); !whole) return whole.error();
  return std::optional<TransactionPlace>{};
}

// The value is the number without leading zeros (database version 6 on), the block's hash (4 and
// 5), or a list that begins with that hash (3): core/rawdb/accessors_indexes.go.
Result<std::optional<std::uint64_t>> geth_block_of(const ChainReader& reader,
                                                   std::string_view value) {
  if (value.size() <= 8)
    return decode_number(std::string(8 - value.size(), '\0') + std::string{value});
  if (value.size() == Hash::kSize) return reader.number_of(Hash::from_bytes(raw_bytes(value)));
  RlpFailure failure;
  RlpReader entry = RlpReader::of_list(raw_bytes(value), failure, "entry of a transaction");
  const Hash block = entry.fixed<32>("block of a transaction");
  if (failure) return failure.error();
  return reader.number_of(block);
}

Result<std::optional<TransactionPlace>> find_in_geth(const ChainReader& reader, const Hash& hash) {
  const auto value = reader.store().get("l" + std::string{text_of(hash.view())});
  if (!value) return value.error();
  if (*value) {
    const auto number = geth_block_of(reader, **value);
    if (!number) return number.error();
    if (*number) return place_in(reader, **number, hash);
  }
  const auto tail = number_at(reader.store(), kGethTailKey, 1);
  if (!tail) return tail.error();
  if (*tail > 0)
    return not_said(
        "the node indexed only its last blocks; import the folder into one of bloomery's own "
        "(bloomery eth import), which indexes all");
  return std::optional<TransactionPlace>{};
}

}  // namespace

Result<std::optional<TransactionPlace>> find_transaction(const ChainReader& reader,
                                                         const Hash& hash) {
  return reader.is_own() ? find_own(reader, hash) : find_in_geth(reader, hash);
}

bool put_transaction_keys(const ImportedBlock& block, WriteBatch& batch) {
  if (!are_named(block) || block.header.number >> 8 * kKeyNumberDigits != 0) return false;
  for (const Hash& hash : hashes_of(block))
    batch.put(transaction_key(hash, block.header.number), {});
  return true;
}

Result<std::uint64_t> missing_transaction_keys(const ChainReader& reader,
                                               const ImportedBlock& block) {
  if (!reader.is_own() || is_within(reader.transaction_index().rest, block.header.number))
    return std::uint64_t{0};
  if (!are_named(block)) return std::uint64_t{0};
  std::uint64_t missing = 0;
  for (const Hash& hash : hashes_of(block)) {
    const auto value = reader.store().get(transaction_key(hash, block.header.number));
    if (!value) return value.error();
    missing += *value ? 0 : 1;
  }
  return missing;
}

Result<TransactionIndex> change_transaction_index(const ChainReader& reader,
                                                  const ImportedBlock& block,
                                                  const ChainReader::Block& old,
                                                  const ChainChange& change, WriteBatch& batch) {
  TransactionIndex index = reader.transaction_index();
  const auto remove = [&](const ImportedBlock& gone) {
    for (const Hash& hash : hashes_of(gone))
      batch.remove(transaction_key(hash, gone.header.number));
    index.unnamed -= are_named(gone) || index.unnamed == 0 ? 0 : 1;
  };
  const auto put = [&](const ImportedBlock& comes) {
    if (!put_transaction_keys(comes, batch)) index.unnamed += 1;
  };
  for (const BlockId& id : change.removed) {
    if (is_within(index.rest, id.number)) continue;
    const auto gone = reader.block(id.number, id.hash);
    if (!gone) return gone.error();
    if (*gone != nullptr) remove(**gone);
  }
  for (const BlockId& id : change.added) {
    if (is_within(index.rest, id.number)) continue;
    if (id.hash == block.header.hash) {
      put(block);
      continue;
    }
    const auto comes = reader.block(id.number, id.hash);
    if (!comes) return comes.error();
    if (*comes != nullptr) put(**comes);
  }
  const bool became_complete = change.added.empty() && old != nullptr;
  if (became_complete && !is_within(index.rest, block.header.number)) {
    remove(*old);
    put(block);
  }
  return index;
}

std::string encode_transaction_index(const TransactionIndex& index, const Hash& head,
                                     std::uint64_t blocks) {
  RlpWriter out;
  out.begin_list();
  out.number(kIndexVersion);
  out.number(index.rest ? index.rest->first : 0);
  out.number(index.rest ? index.rest->last + 1 : 0);
  out.number(index.unnamed);
  out.bytes(head.view());
  out.number(blocks);
  out.end_list();
  return std::string{text_of(out.take())};
}

Result<TransactionIndex> load_transaction_index(const KeyValueStore& store,
                                                const std::optional<BlockId>& head,
                                                const std::optional<std::uint64_t>& lowest,
                                                std::uint64_t blocks) {
  TransactionIndex index;
  if (!head) return index;
  index.rest = BlockRange{lowest.value_or(0), head->number};
  const auto record = store.get(kTransactionIndexKey);
  if (!record) return record.error();
  if (!*record) return index;
  RlpFailure failure;
  RlpReader in =
      RlpReader::of_list(raw_bytes(**record), failure, "record of the transaction index");
  const std::uint64_t version = in.number("version");
  const std::uint64_t first = in.number("first block to index");
  const std::uint64_t past = in.number("end of the blocks to index");
  const std::uint64_t unnamed = in.number("blocks without hashes");
  const Hash its_head = in.fixed<32>("head");
  const std::uint64_t its_blocks = in.number("blocks");
  in.expect_end("record of the transaction index");
  if (!failure && version != kIndexVersion) return index;
  if (failure) return failure.error();
  if (its_head != head->hash || its_blocks != blocks || (past > 0 && first >= past)) return index;
  index.rest.reset();
  if (past > 0) index.rest = BlockRange{first, past - 1};
  index.unnamed = unnamed;
  return index;
}

Status ChainStore::load_transactions() {
  const auto number = reader_->head();
  if (!number) return number.error();
  std::optional<BlockId> head;
  if (*number) {
    const auto hash = reader_->canonical_hash(**number);
    if (!hash) return hash.error();
    head = BlockId{**number, hash->value_or(Hash{})};
  }
  const auto index = load_transaction_index(*store_, head, counts_.lowest, counts_.blocks);
  if (!index) return index.error();
  reader_->set_transaction_index(*index);
  return ok();
}

Status ChainStore::put_transaction_index(const TransactionIndex& index, std::uint64_t blocks,
                                         WriteBatch& batch) const {
  std::optional<Hash> head;
  for (const auto& change : batch.changes())
    if (change.key == kHeadBlockKey && change.value) head = decode_hash(*change.value);
  if (!head) {
    const auto stored = store_->get(kHeadBlockKey);
    if (!stored) return stored.error();
    if (!*stored) return ok();  // an empty chain
    head = decode_hash(**stored);
  }
  batch.put(kTransactionIndexKey, encode_transaction_index(index, head.value_or(Hash{}), blocks));
  return ok();
}

Result<bool> ChainStore::index_transactions(std::uint64_t most_blocks) {
  TransactionIndex index = reader_->transaction_index();
  if (!index.rest) return false;
  WriteBatch batch;
  std::uint64_t next = index.rest->first;
  const std::uint64_t last = index.rest->last;
  for (; most_blocks > 0 && next <= last && batch.bytes() < kMostIndexBatchBytes; --most_blocks) {
    const auto number = reader_->next_block(next);
    if (!number) return number.error();
    if (!*number || **number > last) {
      next = last + 1;
      break;
    }
    const auto hash = reader_->canonical_hash(**number);
    if (!hash) return hash.error();
    const auto block = reader_->block(**number, hash->value_or(Hash{}));
    if (!block) return block.error();
    if (*block == nullptr || !put_transaction_keys(**block, batch)) index.unnamed += 1;
    next = **number + 1;
  }
  index.rest->first = next;
  if (next > last) index.rest.reset();
  if (Status s = put_transaction_index(index, counts_.blocks, batch); !s) return s.error();
  if (Status s = store_->write(batch, Durability::kBuffered); !s) return s.error();
  reader_->set_transaction_index(index);
  return index.rest.has_value();
}

}  // namespace bloomery::ethlog
