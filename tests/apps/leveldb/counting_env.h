// A scratch database folder, and an environment that counts how often a table file is read.
#pragma once
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>

#include <atomic>
#include <memory>
#include <string>

namespace bloomery::testing {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

class CountingEnv final : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper{leveldb::Env::Default()} {}
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    const auto status = target()->NewRandomAccessFile(name, file);
    if (status.ok()) *file = new CountingFile{*file, reads};
    return status;
  }
  std::atomic<std::uint64_t> reads = 0;

 private:
  class CountingFile final : public leveldb::RandomAccessFile {
   public:
    CountingFile(leveldb::RandomAccessFile* file, std::atomic<std::uint64_t>& reads)
        : file_{file}, reads_{reads} {}
    leveldb::Status Read(std::uint64_t offset, std::size_t n, leveldb::Slice* result,
                         char* scratch) const override {
      ++reads_;
      return file_->Read(offset, n, result, scratch);
    }

   private:
    std::unique_ptr<leveldb::RandomAccessFile> file_;
    std::atomic<std::uint64_t>& reads_;
  };
};

// No compression and no cache to speak of: every block that is looked at is read.
inline std::unique_ptr<leveldb::DB> open_database(const std::string& path,
                                                  const leveldb::FilterPolicy* policy,
                                                  leveldb::Options options = {}) {
  options.create_if_missing = true;
  options.filter_policy = policy;
  leveldb::DB* database = nullptr;
  const auto status = leveldb::DB::Open(options, path, &database);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<leveldb::DB>{database};
}

}  // namespace bloomery::testing
