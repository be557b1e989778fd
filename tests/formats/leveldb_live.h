// Databases made by the real LevelDB: an environment that counts what it reads, and whose
// compactions can be waited for and held back.
#pragma once
#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "tests/formats/counting_file.h"

namespace bloomery::testing {

class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper{leveldb::Env::Default()}, worker_{[this] { work(); }} {}
  ~CountingEnv() override {
    {
      const std::lock_guard lock{mutex_};
      ends_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  std::uint64_t reads() const { return reads_; }
  void drain() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  }
  void hold(bool held) {
    {
      const std::lock_guard lock{mutex_};
      held_ = held;
    }
    changed_.notify_all();
  }

  void Schedule(void (*function)(void*), void* argument) override {
    {
      const std::lock_guard lock{mutex_};
      queue_.emplace_back(function, argument);
    }
    changed_.notify_all();
  }
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    auto status = target()->NewRandomAccessFile(name, file);
    if (status.ok()) *file = new CountingFile{*file, reads_};
    return status;
  }

 private:
  void work() {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || (!held_ && !queue_.empty()); });
      if (ends_) return;
      const auto [function, argument] = queue_.front();
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      function(argument);
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<void (*)(void*), void*>> queue_;
  bool busy_ = false;
  bool held_ = false;
  bool ends_ = false;
  std::atomic<std::uint64_t> reads_ = 0;
  std::thread worker_;
};

// A database in a folder of its own, with small tables so that there are many.
class LiveDatabase {
 public:
  explicit LiveDatabase(const leveldb::Comparator* comparator = nullptr,
                        const leveldb::FilterPolicy* policy = nullptr)
      : policy_{leveldb::NewBloomFilterPolicy(10)}, cache_{leveldb::NewLRUCache(0)} {
    std::string name = (std::filesystem::temp_directory_path() / "bloomery_db.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    if (comparator != nullptr) options_.comparator = comparator;
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.filter_policy = policy != nullptr ? policy : policy_.get();
    options_.block_cache = cache_.get();
    options_.write_buffer_size = 64 << 10;
    options_.max_file_size = 1 << 20;
    open();
  }
  ~LiveDatabase() {
    close();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  void open() {
    leveldb::DB* opened = nullptr;
    if (!leveldb::DB::Open(options_, path_.string(), &opened).ok()) std::abort();
    database_.reset(opened);
  }
  void close() {
    env_.hold(false);
    database_.reset();
  }
  void put(const std::string& key) {
    std::string value(100, 0);  // of bytes that do not compress
    std::minstd_rand random{static_cast<std::uint32_t>(std::hash<std::string>{}(key))};
    for (char& byte : value) byte = static_cast<char>(random() >> 8);
    if (!database_->Put({}, key, value).ok()) std::abort();
  }
  leveldb::DB& database() { return *database_; }
  CountingEnv& env() { return env_; }
  const std::filesystem::path& path() const { return path_; }

  // LevelDB's own reader: user key to the numbers of the tables in the folder that hold it.
  std::map<std::string, std::set<std::uint64_t>> tables_of_keys() const {
    std::map<std::string, std::set<std::uint64_t>> tables;
    for (const auto& entry : std::filesystem::directory_iterator{path_}) {
      if (entry.path().extension() != ".ldb") continue;
      leveldb::RandomAccessFile* file = nullptr;
      leveldb::Table* opened = nullptr;
      if (!leveldb::Env::Default()->NewRandomAccessFile(entry.path().string(), &file).ok())
        std::abort();
      const std::unique_ptr<leveldb::RandomAccessFile> keeps_file{file};
      if (!leveldb::Table::Open({}, file, entry.file_size(), &opened).ok()) std::abort();
      const std::unique_ptr<leveldb::Table> table{opened};
      const std::unique_ptr<leveldb::Iterator> at{table->NewIterator({})};
      for (at->SeekToFirst(); at->Valid(); at->Next())
        tables[at->key().ToString().substr(0, at->key().size() - 8)].insert(
            std::stoull(entry.path().stem().string()));
    }
    return tables;
  }

 private:
  std::filesystem::path path_;
  CountingEnv env_;
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> database_;
};

}  // namespace bloomery::testing
