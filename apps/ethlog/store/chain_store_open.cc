// How a chain store is opened, synced and repaired: what it holds, compared with what was reported.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "apps/ethlog/kv/leveldb_check.h"
#include "apps/ethlog/kv/leveldb_lock.h"
#include "apps/ethlog/kv/leveldb_thread.h"
#include "apps/ethlog/model/rlp.h"
#include "apps/ethlog/store/chain_census.h"
#include "apps/ethlog/store/chain_orphans.h"
#include "apps/ethlog/store/chain_records.h"
#include "apps/ethlog/store/schema.h"
#include "apps/ethlog/store/section_records.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

namespace fs = std::filesystem;

// Names of new folders survive a loss of power, as what is written into them later does.
Status make_folders(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> parents;
  for (fs::path at = fs::absolute(folder, failed); !failed && !fs::exists(at, failed);) {
    at = at.parent_path();
    parents.push_back(at);
  }
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::kIo,
                 message(folder.string(), ": the folder cannot be made: ", failed.message())};
  for (const fs::path& parent : parents) {
    const int descriptor = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int trouble = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced)
      return Error{
          ErrorCode::kIo,
          message(parent.string(), ": the folder cannot be synced: ", std::strerror(trouble))};
  }
  return ok();
}

// Before the database is made: a folder without the marker is never opened for writing.
Status claim_folder(const fs::path& folder, Creation creation) {
  std::error_code failed;
  if (fs::exists(folder / "CURRENT", failed))
    return Error{ErrorCode::kInvalidArgument,
                 folder.string() +
                     ": the folder holds a database of another program, which is "
                     "never written to; choose another folder"};
  if (creation == Creation::kMustExist)
    return Error{ErrorCode::kIo, folder.string() + ": the folder holds no chain"};
  if (Status s = make_folders(folder); !s) return s;
  if (const Status written = write_marker(folder, {}); !written)
    return Error{
        written.error().code,
        message(folder.string(), ": the folder cannot be written to: ", written.error().message)};
  return ok();
}

// What the marker counted and the store has not.
std::vector<BlockRange> lost_since(const ChainMarker& marker, const ChainCensus& census,
                                   const std::optional<std::uint64_t>& head) {
  std::vector<BlockRange> lost = marker.lost;
  lost.insert(lost.end(), census.lost.begin(), census.lost.end());
  std::uint64_t named = 0;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    lost.push_back({first, last});
    named += last - first + 1;
  };
  if (marker.head && !head) add(marker.lowest.value_or(*marker.head), *marker.head);
  if (marker.head && head && *marker.head > *head) add(*head + 1, *marker.head);
  if (marker.lowest && census.lowest && *marker.lowest < *census.lowest)
    add(*marker.lowest, *census.lowest - 1);
  // Blocks between others: which of the missing ones is not known, so all are named.
  if (marker.blocks > census.blocks + named)
    lost.insert(lost.end(), census.gaps.begin(), census.gaps.end());
  return merged_ranges(std::move(lost));
}

}  // namespace

std::string encode_counts(const StoreCounts& counts) {
  RlpWriter out;
  out.begin_list();
  out.number(counts.blocks);
  out.number(counts.unverified);
  out.number(counts.lowest ? *counts.lowest + 1 : 0);
  out.end_list();
  return std::string{text_of(out.take())};
}

Result<StoreCounts> decode_counts(std::string_view record) {
  StoreCounts counts;
  RlpFailure failure;
  RlpReader in = RlpReader::of_list(std::as_bytes(std::span{record.data(), record.size()}), failure,
                                    "counts of the store");
  counts.blocks = in.number("number of blocks");
  counts.unverified = in.number("number of unverified blocks");
  const std::uint64_t lowest = in.number("lowest block");
  if (lowest > 0) counts.lowest = lowest - 1;
  in.expect_end("counts of the store");
  if (failure) return failure.error();
  return counts;
}

Result<std::uint64_t> number_at(const KeyValueStore& store, std::string_view key,
                                std::uint64_t otherwise) {
  const auto value = store.get(key);
  if (!value) return value.error();
  if (!*value) return otherwise;
  const auto number = decode_number(**value);
  if (!number)
    return Error{ErrorCode::kMalformed, message("the record ", key, " should have 8 bytes")};
  return *number;
}

Error with_repair_advice(const fs::path& folder, const Error& error) {
  if (error.code != ErrorCode::kMalformed) return error;
  return {error.code, message(error.message, "; bloomery eth verify --db ", folder.string(),
                              " --repair keeps what can be read, and names the blocks to import "
                              "again")};
}

ChainStore::ChainStore(std::unique_ptr<KeyValueStore> store)
    : store_{std::move(store)}, reader_{std::make_unique<ChainReader>(*store_)} {
  reader_->set_own();
}

bool is_chain_store(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kMarkerFile, ignored);
}

Result<ChainStore> ChainStore::over(std::unique_ptr<KeyValueStore> store,
                                    const std::optional<ChainMarker>& marker) {
  ChainStore chain{std::move(store)};
  if (const Status loaded = chain.load_counts(); !loaded) return loaded.error();
  if (const Status loaded = chain.load_transactions(); !loaded) return loaded.error();
  const auto synced = number_at(*chain.store_, kSyncedKey, 0);
  if (!synced) return synced.error();
  chain.synced_ = *synced;
  if (marker)
    if (const Status compared = chain.compare_with(*marker); !compared) return compared.error();
  return chain;
}

Result<ChainStore> ChainStore::open(const fs::path& folder, Creation creation,
                                    const LevelDbOptions& options) {
  if (!is_chain_store(folder))
    if (const Status claimed = claim_folder(folder, creation); !claimed) return claimed.error();
  const auto marker = read_marker(folder);
  if (!marker) return marker.error();
  if (const Status started = start_leveldb_thread(); !started) return started.error();
  auto store = open_leveldb(folder, Creation::kAllowed, options);
  if (!store) return with_repair_advice(folder, store.error());
  auto chain = over(std::move(*store), *marker);
  if (!chain) return with_repair_advice(folder, chain.error());
  chain->folder_ = folder;
  if (*marker && (*marker)->synced == 0 && chain->counts_.blocks > 0) {
    // An older version wrote it, whose counters were never compared with the blocks.
    if (const Status counted = chain->recount(); !counted) return counted.error();
    if (const Status synced = chain->sync(); !synced) return synced.error();
  } else if (!chain->lost_.empty()) {
    // Before a sync gives the store a number that would hide the loss.
    if (const Status noted = chain->write_marker_file(); !noted) return noted.error();
  }
  return chain;
}

Status ChainStore::load_counts() {
  const auto value = store_->get(kCountsKey);
  if (!value) return value.error();
  if (!*value) return ok();
  const auto counts = decode_counts(**value);
  if (!counts) return counts.error();
  counts_ = *counts;
  const auto head = reader_->head();
  if (!head) return head.error();
  if (!*head || !counts_.lowest) return ok();
  // A counter that contradicts the head was not kept up to date.
  if (**head < *counts_.lowest || counts_.blocks > **head - *counts_.lowest + 1) return recount();
  counts_.gaps = **head - *counts_.lowest + 1 - counts_.blocks;
  return ok();
}

Status ChainStore::recount() {
  const auto census = count_blocks(*reader_);
  if (!census) return census.error();
  counts_ = {.blocks = census->blocks,
             .unverified = census->unverified,
             .gaps = census->missing,
             .lowest = census->lowest};
  lost_.insert(lost_.end(), census->lost.begin(), census->lost.end());
  lost_ = merged_ranges(std::move(lost_));
  reader_->set_lost(lost_);
  return ok();
}

Status ChainStore::compare_with(const ChainMarker& marker) {
  lost_.insert(lost_.end(), marker.lost.begin(), marker.lost.end());
  lost_ = merged_ranges(std::move(lost_));
  if (synced_ < marker.synced) {
    const auto census = count_blocks(*reader_);
    if (!census) return census.error();
    const auto head = reader_->head();
    if (!head) return head.error();
    if (Status s = recount(); !s) return s;
    lost_ = lost_since(marker, *census, *head);
    synced_ = marker.synced;
  }
  return trim_lost();
}

// What came back is no longer lost.
Status ChainStore::trim_lost() {
  std::vector<BlockRange> left;
  for (const BlockRange& range : lost_) {
    std::uint64_t number = range.first;
    for (;; ++number) {
      const auto hash = reader_->canonical_hash(number);
      if (!hash) return hash.error();
      if (!*hash) {
        // A gap is passed in one step.
        const auto next = reader_->next_block(number);
        if (!next) return next.error();
        const std::uint64_t last = *next && **next <= range.last ? **next - 1 : range.last;
        left.push_back({number, last});
        number = last;
      }
      if (number >= range.last) break;
    }
  }
  lost_ = std::move(left);
  reader_->set_lost(lost_);
  return ok();
}

Status ChainStore::write_marker_file() const {
  if (folder_.empty()) return ok();
  const auto head = reader_->head();
  if (!head) return head.error();
  return write_marker(folder_, {.synced = synced_,
                                .blocks = counts_.blocks,
                                .lowest = counts_.lowest,
                                .head = *head,
                                .lost = lost_});
}

Status ChainStore::sync() {
  if (Status s = trim_lost(); !s) return s;
  WriteBatch batch;
  batch.put(kCountsKey, encode_counts(counts_));
  batch.put(kSyncedKey, encode_number(synced_ + 1));
  if (Status s = put_transaction_index(reader_->transaction_index(), counts_.blocks, batch); !s)
    return s;
  if (Status s = store_->write(batch, Durability::kSynced); !s) return s;
  synced_ += 1;
  return write_marker_file();
}

// ---- repair

namespace {

// Whether a database without the marker is one of ours.
Result<bool> has_our_records(const fs::path& folder) {
  const auto store = open_foreign_leveldb(folder);
  if (!store) return store.error();
  const auto counts = (*store)->get(kCountsKey);
  if (!counts) return counts.error();
  return counts->has_value();
}

// The files, and every record of the tables with its checksum.
Status check_contents(const fs::path& folder) {
  if (Status s = check_leveldb(folder); !s) return s;
  const auto store = open_leveldb(folder, Creation::kMustExist);
  if (!store) return store.error();
  const std::string past(64, '\xff');  // no key is as high
  return (*store)->scan({}, past, [](std::string_view, std::string_view) { return true; });
}

void remove_block(std::uint64_t number, const Hash& hash, WriteBatch& batch) {
  batch.remove(canonical_hash_key(number));
  batch.remove(header_key(number, hash));
  batch.remove(body_key(number, hash));
  batch.remove(receipts_key(number, hash));
  batch.remove(note_key(number, hash));
  batch.remove(block_number_key(hash));
}

}  // namespace

Result<ChainStore> ChainStore::open_to_repair(const fs::path& folder) {
  if (Status s = free_to_write(folder); !s) return s.error();
  const auto marker = read_marker(folder);
  if (!marker && marker.error().code != ErrorCode::kMalformed) return marker.error();
  const bool unmarked = marker && !*marker;
  if (unmarked) {
    const auto ours = has_our_records(folder);
    if (!ours) return ours.error();
    if (!*ours)
      return Error{ErrorCode::kInvalidArgument,
                   folder.string() +
                       ": the folder holds no chain that bloomery made, and databases of other "
                       "programs are not repaired"};
  }
  if (const Status checked = check_contents(folder); !checked) {
    if (checked.error().code == ErrorCode::kIo) return checked.error();
    if (const Status repaired = repair_leveldb(folder); !repaired) return repaired.error();
  }
  if (const Status started = start_leveldb_thread(); !started) return started.error();
  auto store = open_leveldb(folder, Creation::kMustExist);
  if (!store) return store.error();
  ChainStore chain{std::move(*store)};
  const ChainMarker known = marker && *marker ? **marker : ChainMarker{};
  if (Status s = chain.drop_wrong_blocks(); !s) return s.error();
  if (Status s = chain.recount(); !s) return s.error();
  auto census = count_blocks(*chain.reader_);
  if (!census) return census.error();
  census->lost = chain.lost_;
  const auto synced = number_at(*chain.store_, kSyncedKey, 0);
  if (!synced) return synced.error();
  const auto head = chain.reader_->head();
  if (!head) return head.error();
  chain.lost_ = lost_since(known, *census, *head);
  chain.synced_ = std::max(known.synced, *synced);
  if (*head) {  // its keys may be among what was lost
    const TransactionIndex none{.rest = BlockRange{chain.counts_.lowest.value_or(0), **head}};
    chain.reader_->set_transaction_index(none);
  }
  chain.folder_ = folder;
  if (Status s = chain.write_marker_file(); !s) return s.error();
  if (Status s = chain.sync(); !s) return s.error();
  return chain;
}

// A block whose records contradict each other can only be imported again, and not over itself.
Status ChainStore::drop_wrong_blocks() {
  std::vector<BlockRange> dropped;
  std::optional<std::uint64_t> highest;
  std::optional<Hash> before;
  std::map<std::uint64_t, Hash> kept;
  WriteBatch batch;
  auto number = reader_->next_block(0);
  while (number && *number) {
    const auto hash = reader_->canonical_hash(**number);
    if (!hash) return hash.error();
    const auto stored = reader_->block(**number, hash->value_or(Hash{}));
    bool right = stored && *stored != nullptr;
    if (right) {
      ImportedBlock block = **stored;
      block.receipts_complete = block.verified.receipts_root;
      right = check_block(block).has_value();
      const bool follows = highest && *highest + 1 == **number;
      if (right && follows) right = check_parent(block, before, Gaps::kAllowed).has_value();
    }
    if (right) {
      highest = **number;
      before = **hash;
      kept.emplace(**number, **hash);
    } else {
      remove_block(**number, hash->value_or(Hash{}), batch);
      dropped.push_back({**number, **number});
    }
    number = reader_->next_block(**number + 1);
  }
  if (!number) return number.error();
  if (Status s = drop_orphans(*store_, kept, batch); !s) return s;
  if (!batch.empty())
    if (Status s = store_->write(batch, Durability::kSynced); !s) return s;
  lost_ = merged_ranges(std::move(dropped));
  return highest ? set_head(*highest) : ok();
}

Status ChainStore::set_head(std::uint64_t number) {
  const auto hash = reader_->canonical_hash(number);
  if (!hash) return hash.error();
  WriteBatch batch;
  for (const std::string_view key : {kHeadHeaderKey, kHeadBlockKey, kHeadFastBlockKey})
    batch.put(key, text_of(hash->value_or(Hash{}).view()));
  return store_->write(batch, Durability::kSynced);
}

}  // namespace bloomery::ethlog
