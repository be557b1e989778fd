#include "apps/ethlog/kv/kv_leveldb.h"

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <mutex>

#include "apps/ethlog/kv/leveldb_call.h"
#include "apps/ethlog/kv/leveldb_check.h"
#include "apps/ethlog/kv/leveldb_lock.h"
#include "apps/ethlog/kv/leveldb_salvage.h"
#include "apps/ethlog/kv/overlay_env.h"
#include "apps/ethlog/kv/whole_listing_env.h"
#include "bloomery/base/message.h"

namespace bloomery::ethlog {
namespace {

leveldb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view text(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

Error database_error(const std::filesystem::path& folder, const leveldb::Status& status) {
  return {status.IsCorruption() ? ErrorCode::kMalformed : ErrorCode::kIo,
          folder.string() + ": the database reported: " + status.ToString()};
}

// LevelDB answers "not found" for a key that it does not have, and also where a table's file is
// gone.
bool is_absent_key(const leveldb::Status& status) {
  return status.IsNotFound() && status.ToString() == leveldb::Status::NotFound({}).ToString();
}

// Members are destroyed from the last to the first: the database goes before what it uses.
class LevelDbStore final : public KeyValueStore {
 public:
  LevelDbStore(std::filesystem::path folder, const LevelDbOptions& options)
      : folder_{std::move(folder)},
        cache_{leveldb::NewLRUCache(options.cache_bytes)},
        policy_{leveldb::NewBloomFilterPolicy(10)} {
    options_.env = &files_;
    options_.block_cache = cache_.get();
    options_.filter_policy = policy_.get();
    options_.write_buffer_size = options.write_buffer_bytes;
    options_.max_open_files = options.max_open_files;
    options_.max_file_size = options.file_bytes;
    // Filters and indexes of tables are verified too: a wrong filter would hide keys.
    options_.paranoid_checks = true;
  }

  ~LevelDbStore() override {
    // Background work that the overlay holds back must be let go, or LevelDB waits for it.
    std::optional<OverlayEnv::Release> release;
    if (overlay_) release.emplace(*overlay_);
    database_.reset();
  }

  Status open(Creation creation) {
    if (Status s = free_to_write(folder_); !s) return s;
    std::error_code failed;
    const bool is_new = !std::filesystem::exists(folder_ / "CURRENT", failed);
    if (!is_new || has_leveldb_data(folder_))
      if (Status s = check_leveldb(folder_); !s) return s;
    options_.create_if_missing = is_new && creation == Creation::kAllowed;
    return open_database();
  }

  Status open_foreign() {
    auto overlay = OverlayEnv::over(folder_);
    if (!overlay) return overlay.error();
    overlay_ = std::move(*overlay);
    options_.env = overlay_.get();
    const auto before = leveldb_manifest_bytes(folder_);
    if (!before) return before.error();
    if (Status s = check_leveldb(folder_); !s) return s;
    if (Status s = open_database(); !s) return s;
    // No lock keeps its owner out. LevelDB takes a manifest that was cut short for an older one.
    const auto after = leveldb_manifest_bytes(folder_);
    if (!after) return after.error();
    if (*before == *after) return ok();
    return Error{ErrorCode::kIo, message(folder_.string(),
                                         ": another program changed the database while it was "
                                         "opened; try again, or stop the other program first")};
  }

  Result<std::optional<std::string>> get(std::string_view key) const override {
    std::string value;
    const leveldb::Status status =
        leveldb_call([&] { return database_->Get(checked_, slice(key), &value); });
    if (is_absent_key(status)) return std::optional<std::string>{};
    if (!status.ok()) return database_error(folder_, status);
    return std::optional{std::move(value)};
  }

  Status scan(std::string_view first, std::string_view past, const Visit& visit) const override {
    leveldb::ReadOptions once = checked_;
    once.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> at{
        leveldb_call([&] { return database_->NewIterator(once); })};
    leveldb_call([&] { at->Seek(slice(first)); });
    while (at->Valid() && text(at->key()) < past && visit(text(at->key()), text(at->value())))
      leveldb_call([&] { at->Next(); });
    const leveldb::Status status = leveldb_call([&] { return at->status(); });
    if (!status.ok()) return database_error(folder_, status);
    return ok();
  }

  Status write(const WriteBatch& batch, Durability durability) override {
    if (overlay_)
      return Error{ErrorCode::kUnsupported,
                   folder_.string() + ": the database belongs to another program and is only read"};
    const std::lock_guard lock{writing_};
    if (failed_write_) return *failed_write_;
    leveldb::WriteBatch changes;
    for (const WriteBatch::Change& change : batch.changes()) {
      if (change.value)
        changes.Put(change.key, *change.value);
      else
        changes.Delete(change.key);
    }
    leveldb::WriteOptions options;
    options.sync = durability == Durability::kSynced;
    const leveldb::Status status =
        leveldb_call([&] { return database_->Write(options, &changes); });
    if (status.ok()) return ok();
    // The log may end in a part of a record. What would follow it could not be read again.
    const Error error = database_error(folder_, status);
    failed_write_ = Error{error.code, message(error.message,
                                              "; nothing is written to it until it is opened anew; "
                                              "remove the cause, and start the program again")};
    return error;
  }

 private:
  Status open_database() {
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options_, folder_.string(), &opened);
    database_.reset(opened);
    checked_.verify_checksums = true;
    if (!status.ok()) return database_error(folder_, status);
    return ok();
  }

  std::filesystem::path folder_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  WholeListingEnv files_;
  std::unique_ptr<OverlayEnv> overlay_;
  leveldb::Options options_;
  leveldb::ReadOptions checked_;
  std::mutex writing_;
  std::optional<Error> failed_write_;
  std::unique_ptr<leveldb::DB> database_;
};

}  // namespace

Result<std::unique_ptr<KeyValueStore>> open_leveldb(const std::filesystem::path& folder,
                                                    Creation creation,
                                                    const LevelDbOptions& options) {
  auto store = std::make_unique<LevelDbStore>(folder, options);
  if (const Status opened = store->open(creation); !opened) return opened.error();
  return std::unique_ptr<KeyValueStore>{std::move(store)};
}

Result<std::unique_ptr<KeyValueStore>> open_foreign_leveldb(const std::filesystem::path& folder,
                                                            const LevelDbOptions& options) {
  auto store = std::make_unique<LevelDbStore>(folder, options);
  if (const Status opened = store->open_foreign(); !opened) return opened.error();
  return std::unique_ptr<KeyValueStore>{std::move(store)};
}

Status repair_leveldb(const std::filesystem::path& folder) {
  if (Status s = free_to_write(folder); !s) return s;
  if (Status s = keep_whole_records(folder); !s) return s;
  leveldb::Options options;
  WholeListingEnv files;
  options.env = &files;
  const std::unique_ptr<const leveldb::FilterPolicy> policy{leveldb::NewBloomFilterPolicy(10)};
  options.filter_policy = policy.get();
  options.paranoid_checks = true;  // else it keeps tables whose blocks fail their checksums
  const leveldb::Status status = leveldb::RepairDB(folder.string(), options);
  if (!status.ok()) return database_error(folder, status);
  return ok();
}

}  // namespace bloomery::ethlog
